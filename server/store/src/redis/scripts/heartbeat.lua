-- Writes the time of a server's heartbeat. If the last one was too long ago, also writes the time
-- between them as the latest outage, and adds it to the list of outages, a JSON list from which
-- games at rest learn of outages when they are opened. The list is a side record, or a field of
-- `meta` in a bucket. Does nothing if the store that the server knows no longer exists: Redis was
-- emptied, and perhaps another server created a new store. A server that runs no games writes
-- nothing. Returns the time, and all outages that the server may not know yet, oldest first.
-- KEYS: meta; values and names, except in a bucket
-- ARGV: time, floor, the longest silence that is no outage in milliseconds, the store that the
--   server knows, the key of the record, the maximum number of outages in it, whether the server
--   runs games, the end of the latest outage that the server knows
local meta = redis.call('HMGET', KEYS[1], 'schema', 'made', 'heartbeat', 'outage_since', 'outage_until')
if not meta[1] or (meta[2] or '') ~= ARGV[4] then return {'emptied'} end
local at = time_ms(ARGV[1], ARGV[2])
local before = tonumber(meta[3] or '0')
local outage_since, outage_until = meta[4] or '0', meta[5] or '0'
at = math.max(at, before)
local runs_games = ARGV[7] ~= '0'
if runs_games then redis.call('HSET', KEYS[1], 'heartbeat', digits(at)) end
if runs_games and before > 0 and at - before > tonumber(ARGV[3]) then
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
local answer = {'ok', digits(at)}
if tonumber(outage_until) > tonumber(ARGV[8]) then
  local record = redis.call('HGET', KEYS[2] or KEYS[1], ARGV[5])
  for since, ended in string.gmatch(record or '', '%[(%d+),(%d+)%]') do
    if tonumber(ended) > tonumber(ARGV[8]) and tonumber(ended) < tonumber(outage_until) then
      table.insert(answer, since)
      table.insert(answer, ended)
    end
  end
  table.insert(answer, outage_since)
  table.insert(answer, outage_until)
end
return answer
