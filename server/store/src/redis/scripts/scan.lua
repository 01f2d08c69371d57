-- Returns the side records in a range of names, without expired ones. Also returns how many names
-- were looked at, and the last of them.
-- KEYS: values, names
-- ARGV: time, floor, from, to, maximum number of names
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
