-- Notes that a server is alive, and when.
-- KEYS: meta
-- ARGV: time, floor
local at = time_ms(ARGV[1], ARGV[2])
at = math.max(at, tonumber(redis.call('HGET', KEYS[1], 'heartbeat') or '0'))
redis.call('HSET', KEYS[1], 'heartbeat', digits(at))
return {'ok', digits(at)}
