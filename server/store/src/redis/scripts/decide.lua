-- Writes side records of one bucket if all conditions hold and no transaction has locked the
-- records. For a transaction, this is the decision: it is recorded together with the records of the
-- primary bucket, unless another server has aborted the transaction or its deadline has passed.
-- KEYS: values, names, expiries, locks, decisions, decided
-- ARGV: time, floor, transaction (may be empty), its deadline, its other buckets, number of
--   conditions, conditions, writes
local now = time_ms(ARGV[1], ARGV[2])
local transaction, count = ARGV[3], tonumber(ARGV[6])
if transaction ~= '' then
  local decision = redis.call('HGET', KEYS[5], transaction)
  if decision or now > tonumber(ARGV[4]) then return {'late', digits(now)} end
end
local lock = lock_of(KEYS[4], 7, count)
if lock then return {'locked', digits(now), lock} end
if not conditions_hold(KEYS[1], now, 7, count) then return {'conflict', digits(now)} end
write_records(KEYS[1], KEYS[2], KEYS[3], ARGV, 7 + 3 * count)
if transaction ~= '' then
  redis.call('HSET', KEYS[5], transaction, 'c' .. ARGV[5])
  redis.call('ZADD', KEYS[6], digits(now), transaction)
end
return {'ok', digits(now)}
