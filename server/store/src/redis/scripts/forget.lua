-- Forgets the decision about a transaction that is finished everywhere.
-- KEYS: decisions, decided
-- ARGV: time, floor, transaction
redis.call('HDEL', KEYS[1], ARGV[3])
redis.call('ZREM', KEYS[2], ARGV[3])
return {'ok', digits(time_ms(ARGV[1], ARGV[2]))}
