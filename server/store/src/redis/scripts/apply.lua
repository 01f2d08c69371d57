-- Writes the side records of an append, once, and never after those of a later append to the same
-- game. Writes nothing if side records of an earlier append may still have to be written, because
-- afterwards they would be left out. Then returns the numbers of such appends.
-- KEYS: values, names, expiries, applied, pending
-- ARGV: game, seq, member of pending, whether to look for earlier appends, writes
-- The last two keys may hold values of another type. Then the records may be written twice, which
-- is harmless because appends are processed in the order of the log.
local game, seq = ARGV[1], tonumber(ARGV[2])
local applied = redis.pcall('HGET', KEYS[4], game)
applied = type(applied) == 'string' and tonumber(applied) or 0
if applied < seq then
  if ARGV[4] == '1' and applied < seq - 1 then
    local earlier = earlier_appends(KEYS[5], game, seq)
    if #earlier > 0 then return {'earlier', unpack(earlier)} end
  end
  redis.pcall('HSET', KEYS[4], game, ARGV[2])
  write_records(KEYS[1], KEYS[2], KEYS[3], ARGV, 5)
end
redis.pcall('ZREM', KEYS[5], ARGV[3])
return {'ok'}
