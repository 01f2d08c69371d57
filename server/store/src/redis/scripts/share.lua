-- Writes those side records of an append that are in this bucket, once. Writes nothing if a
-- transaction has locked one of them, or if side records of an earlier append to the same game may
-- still have to be written, because the latest write to a record must win.
-- KEYS: values, names, expiries, locks, applied, pending
-- ARGV: time, floor, game, seq, whether this is the game's bucket, in which appends are listed as
--   pending, member of pending to remove (may be empty), writes
local now = time_ms(ARGV[1], ARGV[2])
local game, seq = ARGV[3], tonumber(ARGV[4])
if ARGV[5] == '1' then
  local earlier = earlier_appends(KEYS[6], game, seq)
  if #earlier > 0 then return {'earlier', digits(now), unpack(earlier)} end
end
local lock = lock_of(KEYS[4], 7, 0)
if lock then return {'locked', digits(now), lock} end
local applied = redis.call('HGET', KEYS[5], game)
if not applied or tonumber(applied) < seq then
  redis.call('HSET', KEYS[5], game, ARGV[4])
  write_records(KEYS[1], KEYS[2], KEYS[3], ARGV, 7)
end
if ARGV[6] ~= '' then redis.call('ZREM', KEYS[6], ARGV[6]) end
return {'ok', digits(now)}
