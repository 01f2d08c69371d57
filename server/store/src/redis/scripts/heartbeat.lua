-- Notes that a server is alive, and when; and, if no server was for too long before, that nobody could write meanwhile. Nothing where the store
-- that the server knows is no more: Redis was emptied while it ran, and perhaps another server has made a store anew since.
-- KEYS: meta
-- ARGV: time, floor, how long servers may be silent in milliseconds, which store the server knows
local store = redis.call('HMGET', KEYS[1], 'schema', 'made')
if not store[1] or (store[2] or '') ~= ARGV[4] then return {'emptied'} end
local at = time_ms(ARGV[1], ARGV[2])
local before = tonumber(redis.call('HGET', KEYS[1], 'heartbeat') or '0')
at = math.max(at, before)
redis.call('HSET', KEYS[1], 'heartbeat', digits(at))
if before > 0 and at - before > tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[1], 'outage_since', digits(before), 'outage_until', digits(at))
end
local outage = redis.call('HMGET', KEYS[1], 'outage_since', 'outage_until')
return {'ok', digits(at), outage[1] or '0', outage[2] or '0'}
