-- Appends entries to a log if it stands where the caller believes, and nothing of it otherwise.
-- KEYS: log, quarantine
-- ARGV: expected seq, expected hash, time, floor, deadline, first moment, channel, game, side records, whether entries have their stamps,
--   the moment after which the time must be looked at first or nothing, entries
local reason = redis.call('GET', KEYS[2])
if reason then return {'quarantined', reason} end

local seq, hash, at = '0', string.rep('\0', 32), 0
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  local value = last[2][2]
  if #value < 40 then return {'damaged', last[1]} end
  seq = string.match(last[1], '^%d+')
  at = struct.unpack('<I8', value)
  hash = string.sub(value, 9, 40)
end
if seq ~= ARGV[1] or hash ~= ARGV[2] then return {'conflict', seq, hash} end

local is_stamped = ARGV[10] == '1'
if not is_stamped then
  local now = time_ms(ARGV[3], ARGV[4])
  if ARGV[11] ~= '' and now > tonumber(ARGV[11]) then return {'silence', digits(now)} end
  at = math.max(at, now)
  if ARGV[5] ~= '' and at > tonumber(ARGV[5]) then return {'late', digits(at)} end
  if ARGV[6] ~= '' and at < tonumber(ARGV[6]) then return {'early', digits(at)} end
end

local next_seq = tonumber(seq)
for i = 12, #ARGV do
  local value = ARGV[i]
  if is_stamped then
    at = math.max(at, (struct.unpack('<I8', value)))
    value = string.sub(value, 9)
  end
  next_seq = next_seq + 1
  -- Refused only for the first entry: when the log once reached further than its last entry tells.
  local id, entry = digits(next_seq) .. '-0', struct.pack('<I8', at) .. value
  local added
  if i == #ARGV and ARGV[9] ~= '' then
    added = redis.pcall('XADD', KEYS[1], id, 'e', entry, 'w', ARGV[9])
  else
    added = redis.pcall('XADD', KEYS[1], id, 'e', entry)
  end
  if type(added) == 'table' and added.err then
    if string.find(added.err, 'equal or smaller', 1, true) then return {'damaged', id} end
    return added
  end
end
redis.call('PUBLISH', ARGV[7], ARGV[8] .. ' ' .. digits(next_seq))
return {'ok', digits(at)}
