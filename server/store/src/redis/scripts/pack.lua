-- Stores the packed form of a log and deletes all entries of the log except the last one, if the
-- caller has read the log to its head.
-- KEYS: log, packed
-- ARGV: seq, hash, packed form
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not last or last[1] ~= ARGV[1] .. '-0' or string.sub(last[2][2], 9, 40) ~= ARGV[2] then
  return {'other'}
end
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
-- Another server has already packed the log.
if first[1] == last[1] and redis.call('EXISTS', KEYS[2]) == 1 then return {'packed'} end
if first[1] ~= '1-0' then return {'other'} end
redis.call('SET', KEYS[2], ARGV[3])
-- Trimming the stream would not free the memory of the other entries in the last entry's block.
redis.call('DEL', KEYS[1])
redis.call('XADD', KEYS[1], last[1], unpack(last[2]))
return {'packed'}
