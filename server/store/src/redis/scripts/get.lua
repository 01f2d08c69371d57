-- Returns a side record, unless it has expired. If a transaction has locked the record, returns the
-- record (empty if there is none) and the transaction.
-- KEYS: values, in a store of several buckets also locks
-- ARGV: time, floor, name
local value = redis.call('HGET', KEYS[1], ARGV[3])
if not validity(ARGV[1], ARGV[2])(value) then value = false end
local lock = KEYS[2] and redis.call('HGET', KEYS[2], ARGV[3])
if lock then return {value or '', lock} end
return value and {value} or {}
