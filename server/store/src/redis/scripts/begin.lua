-- Creates a store if there is none. Returns its schema, its epoch, the time of its last
-- heartbeat, the current time, the time since which this run of Redis is known (0 if it has lost
-- nothing), and a value that distinguishes this store from an earlier one on the same Redis.
-- If Redis was restarted, a server that was not connected before cannot know whether Redis lost
-- data, so a new epoch begins. A server that was connected before still has the lost data, and
-- writes it again.
-- KEYS: meta
-- ARGV: time, floor, schema, known epoch, run of Redis, whether the caller was connected before
local now = time_ms(ARGV[1], ARGV[2])
local known = tonumber(ARGV[4])
if not redis.call('HGET', KEYS[1], 'schema') then
  local run_at = ARGV[6] == '1' and now or 0
  local epoch = digits(math.max(now, known + 1, 1))
  redis.call('HSET', KEYS[1], 'schema', ARGV[3], 'epoch', epoch, 'made', epoch)
  redis.call('HSET', KEYS[1], 'run', ARGV[5], 'run_at', digits(run_at))
elseif redis.call('HGET', KEYS[1], 'schema') == ARGV[3]
    and redis.call('HGET', KEYS[1], 'run') ~= ARGV[5] then
  if ARGV[6] ~= '1' then
    known = math.max(tonumber(redis.call('HGET', KEYS[1], 'epoch') or '0'), known)
    redis.call('HSET', KEYS[1], 'epoch', digits(math.max(now, known + 1)))
  end
  redis.call('HSET', KEYS[1], 'run', ARGV[5], 'run_at', digits(now))
end
local found = redis.call('HMGET', KEYS[1], 'schema', 'epoch', 'heartbeat', 'run_at', 'made')
local schema, epoch, heartbeat, run_at, made = unpack(found)
return {schema or '', epoch or '', heartbeat or '', digits(now), run_at or '0', made or ''}
