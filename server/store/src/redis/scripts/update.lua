-- Writes side records if all conditions hold.
-- KEYS: values, names, expiries
-- ARGV: time, floor, number of conditions, conditions (three arguments each: A (absent) or V (has
--   the value), key, value), writes
local now = time_ms(ARGV[1], ARGV[2])
local count = tonumber(ARGV[3])
if not conditions_hold(KEYS[1], now, 4, count) then return {'conflict', digits(now)} end
write_records(KEYS[1], KEYS[2], KEYS[3], ARGV, 4 + 3 * count)
return {'ok', digits(now)}
