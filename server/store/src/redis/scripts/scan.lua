-- The side records from one name on up to another, those that have expired left out, and the last name looked at.
-- KEYS: values, names
-- ARGV: time, floor, from, to, how many names
local now = time_ms(ARGV[1], ARGV[2])
local found = {}
local names = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[3], ARGV[4], 'LIMIT', 0, ARGV[5])
for _, name in ipairs(names) do
  local value = redis.call('HGET', KEYS[1], name)
  if value and expiry(value) > now then
    found[#found + 1] = name
    found[#found + 1] = value
  end
end
return {#names, names[#names] or '', found}
