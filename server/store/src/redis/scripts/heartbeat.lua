-- Notes that a server is alive, and when; and, if no server was for too long before, that nobody could write meanwhile: as the latest outage, and in the
-- record of outages that games at rest are told of when they are opened, a list of the latest ones as JSON. Nothing where the store
-- that the server knows is no more: Redis was emptied while it ran, and perhaps another server has made a store anew since.
-- KEYS: meta, values, names
-- ARGV: time, floor, how long servers may be silent in milliseconds, which store the server knows, the record's key, how many outages it has at most
local store = redis.call('HMGET', KEYS[1], 'schema', 'made')
if not store[1] or (store[2] or '') ~= ARGV[4] then return {'emptied'} end
local at = time_ms(ARGV[1], ARGV[2])
local before = tonumber(redis.call('HGET', KEYS[1], 'heartbeat') or '0')
at = math.max(at, before)
redis.call('HSET', KEYS[1], 'heartbeat', digits(at))
if before > 0 and at - before > tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[1], 'outage_since', digits(before), 'outage_until', digits(at))
  local record = redis.call('HGET', KEYS[2], ARGV[5])
  -- Ahead of the list stands when the record expires: never.
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
local outage = redis.call('HMGET', KEYS[1], 'outage_since', 'outage_until')
return {'ok', digits(at), outage[1] or '0', outage[2] or '0'}
