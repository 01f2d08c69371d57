-- Returns the time in milliseconds, but at least `floor`. Without a given time, asks Redis.
local function time_ms(given, floor)
  local now = tonumber(given)
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return math.max(now, tonumber(floor))
end

-- Formats a whole number with all its digits.
local function digits(number)
  return string.format('%.0f', number)
end

-- True if an answer of `pcall` is the error for a key that holds a value of another type.
local function is_wrong_type(answer)
  local message = type(answer) == 'table' and answer.err
  return message and string.find(message, 'WRONGTYPE', 1, true) ~= nil
end

-- Returns the time at which a record expires, from its value. A damaged record never expires, so
-- that a reader can report it.
local function expiry(value)
  if #value < 8 then return math.huge end
  return (struct.unpack('<I8', value))
end

-- Returns a function that tells whether a value is that of a record that has not expired. The
-- function asks for the time at most once, and only if a record can expire.
local function validity(given, floor)
  local now
  return function(value)
    if not value then return false end
    local expires = expiry(value)
    if expires >= 2 ^ 63 then return true end
    now = now or time_ms(given, floor)
    return expires > now
  end
end

-- Writes the side records in `list`, beginning at `first`. Each is four items: P (put) or D
-- (delete), key, expiry (may be empty), value.
local function write_records(values, names, expiries, list, first)
  for i = first, #list, 4 do
    local key = list[i + 1]
    if list[i] == 'P' then
      redis.call('HSET', values, key, list[i + 3])
      redis.call('ZADD', names, 0, key)
      -- The list of expiries may hold a value of another type. Then expired records are not
      -- deleted, but everything else works.
      if list[i + 2] == '' then
        redis.pcall('ZREM', expiries, key)
      else
        redis.pcall('ZADD', expiries, list[i + 2], key)
      end
    else
      redis.call('HDEL', values, key)
      redis.call('ZREM', names, key)
      redis.pcall('ZREM', expiries, key)
    end
  end
end

-- True if all conditions in ARGV hold, beginning at `first`. Each is three arguments: A (absent)
-- or V (has the value), key, value.
local function conditions_hold(values, now, first, count)
  for i = first, first + 3 * count - 1, 3 do
    local value = redis.call('HGET', values, ARGV[i + 1])
    if value and expiry(value) <= now then value = false end
    local holds
    if ARGV[i] == 'A' then
      holds = not value
    else
      holds = value and string.sub(value, 9) == ARGV[i + 2]
    end
    if not holds then return false end
  end
  return true
end

-- Returns the numbers of those appends to a game before `seq` that are listed in `pending`.
local function earlier_appends(pending, game, seq)
  local earlier, listed = {}, redis.pcall('ZCARD', pending)
  if type(listed) ~= 'number' or listed < 2 then return earlier end
  for _, member in ipairs(redis.call('ZRANGE', pending, 0, -1)) do
    local other, number = string.match(member, '^(%S+) (%d+)$')
    if other == game and tonumber(number) < seq then earlier[#earlier + 1] = number end
  end
  return earlier
end
