-- Writes the time of a server's heartbeat. If the last one was too long ago, also writes the time
-- between them as the latest outage, and adds it to the record of outages, a JSON list from which
-- games at rest learn of outages when they are opened. Does nothing if the store that the server
-- knows no longer exists: Redis was emptied, and perhaps another server created a new store.
-- KEYS: meta, values, names
-- ARGV: time, floor, the longest silence that is no outage in milliseconds, the store that the
--   server knows, the key of the record, the maximum number of outages in it
local meta = redis.call('HMGET', KEYS[1], 'schema', 'made', 'heartbeat', 'outage_since', 'outage_until')
if not meta[1] or (meta[2] or '') ~= ARGV[4] then return {'emptied'} end
local at = time_ms(ARGV[1], ARGV[2])
local before = tonumber(meta[3] or '0')
local outage_since, outage_until = meta[4] or '0', meta[5] or '0'
at = math.max(at, before)
redis.call('HSET', KEYS[1], 'heartbeat', digits(at))
if before > 0 and at - before > tonumber(ARGV[3]) then
  outage_since, outage_until = digits(before), digits(at)
  redis.call('HSET', KEYS[1], 'outage_since', outage_since, 'outage_until', outage_until)
  local record = redis.call('HGET', KEYS[2], ARGV[5])
  -- The list follows the expiry of the record, which is never.
  local outages = record and string.match(string.sub(record, 9), '^%[(.*)%]$') or ''
  local kept = select(2, string.gsub(outages, '%[', ''))
  while kept >= tonumber(ARGV[6]) do
    outages = string.gsub(outages, '^%[[^%]]*%],?', '', 1)
    kept = kept - 1
  end
  local outage = '[' .. digits(before) .. ',' .. digits(at) .. ']'
  outages = outages == '' and outage or outages .. ',' .. outage
  redis.call('HSET', KEYS[2], ARGV[5], string.rep('\255', 8) .. '[' .. outages .. ']')
  redis.call('ZADD', KEYS[3], 0, ARGV[5])
end
return {'ok', digits(at), outage_since, outage_until}
