-- Writes the side records of an append, once, and never after those of a later append to the same
-- game.
-- KEYS: values, names, expiries, applied, pending
-- ARGV: game, seq, member of pending, writes
-- The last two keys may hold values of another type. Then the records may be written twice, which
-- is harmless because appends are processed in the order of the log.
local applied = redis.pcall('HGET', KEYS[4], ARGV[1])
if type(applied) == 'table' then applied = false end
local is_new = not applied or tonumber(applied) < tonumber(ARGV[2])
if is_new then
  redis.pcall('HSET', KEYS[4], ARGV[1], ARGV[2])
  write_records(KEYS[1], KEYS[2], KEYS[3], ARGV, 4)
end
redis.pcall('ZREM', KEYS[5], ARGV[3])
return {'ok'}
