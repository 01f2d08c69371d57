-- Calls a function with the name of each record in a list of conditions (three items each,
-- beginning at `first`) and writes (four items each).
local function each_name(list, first, count, visit)
  local first_write = first + 3 * count
  for i = first + 1, first_write - 1, 3 do visit(list[i]) end
  for i = first_write + 1, #list, 4 do visit(list[i]) end
end

-- Returns a transaction that has locked one of the records in ARGV; nil if there is none.
local function lock_of(locks, first, count)
  if redis.call('EXISTS', locks) == 0 then return nil end
  local found
  each_name(ARGV, first, count, function(name)
    found = found or redis.call('HGET', locks, name) or nil
  end)
  return found
end
