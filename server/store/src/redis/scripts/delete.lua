-- Deletes a log, and leaves a guard in its place, so that no server that holds the log gives it
-- back. If only a guard is left of the log, its content is deleted.
-- KEYS: log, packed, quarantine, guard
-- ARGV: lifetime of the guard in milliseconds, channel of retired logs, game
local guard = redis.pcall('GET', KEYS[4])
local head = type(guard) == 'string' and string.sub(guard, 1, 40) or ''
local found = redis.pcall('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local last = not found.err and found[1]
if last and #last[2][2] >= 40 then
  head = struct.pack('<I8', tonumber(string.match(last[1], '^%d+'))) .. string.sub(last[2][2], 9, 40)
end
-- The guard has neither a place nor commands.
if #head == 40 then redis.call('SET', KEYS[4], head .. '\0\0', 'PX', ARGV[1]) end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return {'deleted'}
