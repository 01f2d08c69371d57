-- Finishes a prepared transaction in a bucket, once: makes its writes if it was committed, and
-- unlocks the records.
-- KEYS: values, names, expiries, locks, locked, intents, prepared
-- ARGV: time, floor, transaction, whether it was committed
local now = time_ms(ARGV[1], ARGV[2])
local transaction = ARGV[3]
local intent = redis.call('HGET', KEYS[6], transaction)
if intent then
  local kept = cmsgpack.unpack(intent)
  local count = tonumber(kept[1])
  if ARGV[4] == '1' then write_records(KEYS[1], KEYS[2], KEYS[3], kept, 2 + 3 * count) end
  each_name(kept, 2, count, function(name)
    if redis.call('HGET', KEYS[4], name) == transaction then
      redis.call('HDEL', KEYS[4], name)
      redis.call('ZREM', KEYS[5], name)
    end
  end)
  redis.call('HDEL', KEYS[6], transaction)
end
redis.call('ZREM', KEYS[7], transaction)
return {'ok', digits(now)}
