-- Deletes some of the side records that have expired. Returns how many were looked at, and how
-- many were deleted.
-- KEYS: values, names, expiries
-- ARGV: time, floor, maximum number of records
local now = time_ms(ARGV[1], ARGV[2])
local names = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', digits(now), 'LIMIT', 0, ARGV[3])
local deleted = 0
for _, name in ipairs(names) do
  local value = redis.call('HGET', KEYS[1], name)
  if value and expiry(value) <= now then
    deleted = deleted + redis.call('HDEL', KEYS[1], name)
    redis.call('ZREM', KEYS[2], name)
  end
  redis.call('ZREM', KEYS[3], name)
end
return {#names, deleted}
