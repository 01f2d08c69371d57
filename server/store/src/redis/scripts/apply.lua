-- Carries out the side records of an append, once, and never after those of a later append of that game.
-- KEYS: values, names, expiries, applied, pending
-- ARGV: game, seq, member of pending, writes
local applied = redis.call('HGET', KEYS[4], ARGV[1])
local is_new = not applied or tonumber(applied) < tonumber(ARGV[2])
if is_new then
  redis.call('HSET', KEYS[4], ARGV[1], ARGV[2])
  write_records(KEYS[1], KEYS[2], KEYS[3], 4)
end
redis.call('ZREM', KEYS[5], ARGV[3])
return {'ok'}
