-- Makes a store where there is none, and says what is there: schema, epoch, last sign of life, and the time.
-- KEYS: meta
-- ARGV: time, floor, schema, epoch known
local now = time_ms(ARGV[1], ARGV[2])
if redis.call('EXISTS', KEYS[1]) == 0 then
  local epoch = math.max(now, tonumber(ARGV[4]) + 1, 1)
  redis.call('HSET', KEYS[1], 'schema', ARGV[3], 'epoch', digits(epoch))
end
local found = redis.call('HMGET', KEYS[1], 'schema', 'epoch', 'heartbeat')
return {found[1] or '', found[2] or '', found[3] or '', digits(now)}
