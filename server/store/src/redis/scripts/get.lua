-- Returns a side record, unless it has expired.
-- KEYS: values
-- ARGV: time, floor, name
local value = redis.call('HGET', KEYS[1], ARGV[3])
if value and expiry(value) > time_ms(ARGV[1], ARGV[2]) then return {value} end
return {}
