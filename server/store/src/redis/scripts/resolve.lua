-- Returns the decision about a transaction. Aborts it if there is none although the deadline has
-- passed. It can then no longer be committed.
-- KEYS: decisions, decided
-- ARGV: time, floor, transaction, its deadline
local now = time_ms(ARGV[1], ARGV[2])
local decision = redis.call('HGET', KEYS[1], ARGV[3])
if not decision and now > tonumber(ARGV[4]) then
  decision = 'a'
  redis.call('HSET', KEYS[1], ARGV[3], decision)
  redis.call('ZADD', KEYS[2], digits(now), ARGV[3])
end
return {'decision', digits(now), decision or ''}
