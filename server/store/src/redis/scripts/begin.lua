-- Makes a store where there is none, and says what is there: schema, epoch, last sign of life, the time, since when this run of Redis is
-- known, or 0 if it has lost nothing, and what tells this store from one that was here before.
-- Whoever comes anew to a Redis that was started anew cannot tell whether it has lost something: a new epoch begins then.
-- Whoever was there before holds what was lost, and gives it back.
-- KEYS: meta
-- ARGV: time, floor, schema, epoch known, run of Redis, whether the caller was there before
local now = time_ms(ARGV[1], ARGV[2])
local known = tonumber(ARGV[4])
if not redis.call('HGET', KEYS[1], 'schema') then
  local run_at = ARGV[6] == '1' and now or 0
  local epoch = digits(math.max(now, known + 1, 1))
  redis.call('HSET', KEYS[1], 'schema', ARGV[3], 'epoch', epoch, 'made', epoch)
  redis.call('HSET', KEYS[1], 'run', ARGV[5], 'run_at', digits(run_at))
elseif redis.call('HGET', KEYS[1], 'schema') == ARGV[3] and redis.call('HGET', KEYS[1], 'run') ~= ARGV[5] then
  if ARGV[6] ~= '1' then
    known = math.max(tonumber(redis.call('HGET', KEYS[1], 'epoch') or '0'), known)
    redis.call('HSET', KEYS[1], 'epoch', digits(math.max(now, known + 1)))
  end
  redis.call('HSET', KEYS[1], 'run', ARGV[5], 'run_at', digits(now))
end
local found = redis.call('HMGET', KEYS[1], 'schema', 'epoch', 'heartbeat', 'run_at', 'made')
return {found[1] or '', found[2] or '', found[3] or '', digits(now), found[4] or '0', found[5] or ''}
