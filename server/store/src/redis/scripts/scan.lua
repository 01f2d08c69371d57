-- Returns the side records in a range of names, without expired ones. Also returns how many names
-- were looked at, and the last of them.
-- KEYS: values, names
-- ARGV: time, floor, from, to, maximum number of names
local is_valid = validity(ARGV[1], ARGV[2])
local names = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[3], ARGV[4], 'LIMIT', 0, ARGV[5])
local found = {}
if #names > 0 then
  local values = redis.call('HMGET', KEYS[1], unpack(names))
  for i, name in ipairs(names) do
    if is_valid(values[i]) then
      found[#found + 1] = name
      found[#found + 1] = values[i]
    end
  end
end
return {#names, names[#names] or '', found}
