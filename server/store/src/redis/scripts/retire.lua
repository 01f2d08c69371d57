-- Replaces a log by its guard, if the log has the head that the guard names.
-- KEYS: log, packed, quarantine, guard
-- ARGV: seq, hash, guard, lifetime of the guard in milliseconds, channel of retired logs, game
if redis.call('EXISTS', KEYS[3]) == 1 then return {'quarantined'} end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not last then
  -- The log may have been retired before, perhaps by a server that has crashed since. A guard
  -- begins with the head.
  local guard = redis.call('GET', KEYS[4])
  if guard and string.sub(guard, 1, 40) == string.sub(ARGV[3], 1, 40) then
    return {'retired'}
  end
  return {'other'}
end
if last[1] ~= ARGV[1] .. '-0' or string.sub(last[2][2], 9, 40) ~= ARGV[2] then
  return {'other'}
end
redis.call('SET', KEYS[4], ARGV[3], 'PX', ARGV[4])
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('PUBLISH', ARGV[5], ARGV[6])
return {'retired'}
