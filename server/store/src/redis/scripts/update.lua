-- Writes side records if all conditions hold.
-- KEYS: values, names, expiries
-- ARGV: time, floor, number of conditions, conditions (three arguments each: A (absent) or V (has
--   the value), key, value), writes
local now = time_ms(ARGV[1], ARGV[2])
local first = 4
for _ = 1, tonumber(ARGV[3]) do
  local value = redis.call('HGET', KEYS[1], ARGV[first + 1])
  if value and expiry(value) <= now then value = false end
  local holds
  if ARGV[first] == 'A' then
    holds = not value
  else
    holds = value and string.sub(value, 9) == ARGV[first + 2]
  end
  if not holds then return {'conflict', digits(now)} end
  first = first + 3
end
write_records(KEYS[1], KEYS[2], KEYS[3], first)
return {'ok', digits(now)}
