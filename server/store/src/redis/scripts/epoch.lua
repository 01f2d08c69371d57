-- Begins a new epoch, above all earlier ones and above the one that the caller knows.
-- KEYS: meta
-- ARGV: time, floor, known epoch
local known = math.max(tonumber(redis.call('HGET', KEYS[1], 'epoch') or '0'), tonumber(ARGV[3]))
local epoch = math.max(time_ms(ARGV[1], ARGV[2]), known + 1)
redis.call('HSET', KEYS[1], 'epoch', digits(epoch))
return {'ok', digits(epoch)}
