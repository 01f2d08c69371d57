-- Returns a side record, unless it has expired.
-- KEYS: values
-- ARGV: time, floor, name
local value = redis.call('HGET', KEYS[1], ARGV[3])
if validity(ARGV[1], ARGV[2])(value) then return {value} end
return {}
