-- Writes the time of a server's heartbeat. If the last one was too long ago, also writes the time
-- between them as the latest outage, and adds it to the list of outages, a JSON list from which
-- games at rest learn of outages when they are opened. The list is a side record, or a field of
-- `meta` in a bucket. Does nothing if the store that the server knows no longer exists: Redis was
-- emptied, and perhaps another server created a new store. A server that runs no games writes
-- nothing, and learns the time and the latest outage.
-- KEYS: meta; values and names, except in a bucket
-- ARGV: time, floor, the longest silence that is no outage in milliseconds, the store that the
--   server knows, the key of the record, the maximum number of outages in it, whether the server
--   runs games
local meta = redis.call('HMGET', KEYS[1], 'schema', 'made', 'heartbeat', 'outage_since', 'outage_until')
if not meta[1] or (meta[2] or '') ~= ARGV[4] then return {'emptied'} end
local at = time_ms(ARGV[1], ARGV[2])
local before = tonumber(meta[3] or '0')
local outage_since, outage_until = meta[4] or '0', meta[5] or '0'
at = math.max(at, before)
if ARGV[7] == '0' then return {'ok', digits(at), outage_since, outage_until} end
redis.call('HSET', KEYS[1], 'heartbeat', digits(at))
if before > 0 and at - before > tonumber(ARGV[3]) then
  outage_since, outage_until = digits(before), digits(at)
  redis.call('HSET', KEYS[1], 'outage_since', outage_since, 'outage_until', outage_until)
  local is_bucket = not KEYS[2]
  local record = redis.call('HGET', KEYS[2] or KEYS[1], ARGV[5])
  -- In a record, the list follows the expiry, which is never.
  local list = record and string.sub(record, is_bucket and 1 or 9)
  local outages = list and string.match(list, '^%[(.*)%]$') or ''
  local kept = select(2, string.gsub(outages, '%[', ''))
  while kept >= tonumber(ARGV[6]) do
    outages = string.gsub(outages, '^%[[^%]]*%],?', '', 1)
    kept = kept - 1
  end
  local outage = '[' .. digits(before) .. ',' .. digits(at) .. ']'
  outages = outages == '' and outage or outages .. ',' .. outage
  if is_bucket then
    redis.call('HSET', KEYS[1], ARGV[5], '[' .. outages .. ']')
  else
    redis.call('HSET', KEYS[2], ARGV[5], string.rep('\255', 8) .. '[' .. outages .. ']')
    redis.call('ZADD', KEYS[3], 0, ARGV[5])
  end
end
return {'ok', digits(at), outage_since, outage_until}
