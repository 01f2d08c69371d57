-- Makes many appends in one call, one after the other. If the head of its log is the expected
-- one, an append is made completely. Otherwise, nothing of it is written.
-- KEYS: for each append: log, quarantine, guard
-- ARGV: time, floor, the time after which there may have been an outage (may be empty), what
--   precedes and what follows the game in the name of its channel, sender of the announcement,
--   channel of announcements of all games (may be empty); then for each append: its header (game,
--   expected seq, expected hash, deadline, first moment, whether its entries have stamps, whether
--   it has side records, number of entries), its side records if it has any, its entries
-- Returns a text: for each append the length of its answer, a letter, and what belongs to the
-- letter.
local now = time_ms(ARGV[1], ARGV[2])
local is_silence = ARGV[3] ~= '' and now > tonumber(ARGV[3])
local answers, announced = {}, {}

-- Makes one append. Returns the number of its last entry (nil if it was not made) and the answer.
local function append(log, guard, expected_seq, expected_hash, deadline, first_moment, is_stamped,
                      records, first, last)
  local seq, hash, at = 0, string.rep('\0', 32), 0
  local found = redis.pcall('XREVRANGE', log, '+', '-', 'COUNT', 1)
  if is_wrong_type(found) then return nil, 'w' end
  if found.err then return nil, 'x' .. found.err end
  local top = found[1]
  if top then
    local value = top[2][2]
    if #value < 40 then return nil, 'd' .. top[1] end
    seq = tonumber(string.match(top[1], '^%d+'))
    at = struct.unpack('<I8', value)
    hash = string.sub(value, 9, 40)
  else
    -- A retired log takes no appends. Its guard begins with the head of the log.
    local kept = redis.pcall('GET', guard)
    if is_wrong_type(kept) then return nil, 'w' end
    if type(kept) == 'string' and #kept >= 40 then return nil, 'c' .. string.sub(kept, 1, 40) end
  end
  if seq ~= expected_seq or hash ~= expected_hash then
    return nil, 'c' .. struct.pack('<I8', seq) .. hash
  end

  if not is_stamped then
    if is_silence then return nil, 's' end
    at = math.max(at, now)
    if at > deadline then return nil, 'l' .. struct.pack('<I8', at) end
    if at < first_moment then return nil, 'e' .. struct.pack('<I8', at) end
  end

  local number
  for i = first, last do
    local value = ARGV[i]
    if is_stamped then
      at = math.max(at, (struct.unpack('<I8', value)))
      value = string.sub(value, 9)
    end
    seq = seq + 1
    -- Faster than `digits`. A log has far fewer than 2^31 entries.
    number = string.format('%d', seq)
    -- Redis can refuse only the first id, if the log once had an entry with a higher id.
    local id, entry = number .. '-0', struct.pack('<I8', at) .. value
    local added
    if i == last and records then
      added = redis.pcall('XADD', log, id, 'e', entry, 'w', records)
    else
      added = redis.pcall('XADD', log, id, 'e', entry)
    end
    if type(added) == 'table' and added.err then
      if string.find(added.err, 'equal or smaller', 1, true) then return nil, 'd' .. id end
      return nil, 'x' .. added.err
    end
  end
  return number, 'o' .. struct.pack('<I8', at)
end

local quarantines = {}
for i = 2, #KEYS, 3 do quarantines[(i + 1) / 3] = KEYS[i] end
local has_quarantined = redis.call('EXISTS', unpack(quarantines)) > 0
local next_argument = 8
for i = 1, #quarantines do
  local game, expected_seq, expected_hash, deadline, first_moment, is_stamped, has_records,
    count = struct.unpack('<c12I8c32I8I8BBI4', ARGV[next_argument])
  local records = has_records == 1 and ARGV[next_argument + 1]
  local first = next_argument + 1 + has_records
  next_argument = first + count
  local number, answer
  local reason = has_quarantined and redis.pcall('GET', quarantines[i])
  if type(reason) == 'table' then
    reason = 'the key that says why holds a value of another type'
  end
  if reason then
    answer = 'q' .. reason
  else
    number, answer = append(KEYS[3 * i - 2], KEYS[3 * i], expected_seq, expected_hash, deadline,
      first_moment, is_stamped == 1, records, first, next_argument - 1)
  end
  if number then
    if ARGV[7] ~= '' then announced[#announced + 1] = game .. ' ' .. number end
    -- The append is made, so an error must not make the call fail.
    redis.pcall('SPUBLISH', ARGV[4] .. game .. ARGV[5], 'a' .. ARGV[6] .. ' ' .. number)
  end
  answers[i] = struct.pack('<I4', #answer) .. answer
end

-- Servers of earlier versions listen to another channel.
if #announced > 0 then
  redis.call('PUBLISH', ARGV[7], ARGV[6] .. '\n' .. table.concat(announced, '\n'))
end
return table.concat(answers)
