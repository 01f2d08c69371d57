-- Prepares a transaction in a bucket that is not its primary one: if all conditions hold and no
-- transaction has locked the records, locks them and keeps the writes.
-- KEYS: values, locks, locked, intents, prepared
-- ARGV: time, floor, transaction, number of conditions, conditions, writes
local now = time_ms(ARGV[1], ARGV[2])
local transaction, count = ARGV[3], tonumber(ARGV[4])
local lock = lock_of(KEYS[2], 5, count)
if lock then return {'locked', digits(now), lock} end
if not conditions_hold(KEYS[1], now, 5, count) then return {'conflict', digits(now)} end
each_name(ARGV, 5, count, function(name)
  redis.call('HSET', KEYS[2], name, transaction)
  redis.call('ZADD', KEYS[3], 0, name)
end)
redis.call('HSET', KEYS[4], transaction, cmsgpack.pack({unpack(ARGV, 4)}))
redis.call('ZADD', KEYS[5], digits(now), transaction)
return {'ok', digits(now)}
