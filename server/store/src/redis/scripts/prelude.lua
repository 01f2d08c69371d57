-- The time in milliseconds: Redis's own unless the caller brings one, never before `floor`.
local function time_ms(given, floor)
  local now = tonumber(given)
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return math.max(now, tonumber(floor))
end

-- A whole number in all its digits.
local function digits(number)
  return string.format('%.0f', number)
end

-- True if an answer of `pcall` says that the key holds a value of another type.
local function is_wrong_type(answer)
  return type(answer) == 'table' and answer.err and string.find(answer.err, 'WRONGTYPE', 1, true) ~= nil
end

-- When a record expires, by its value. A damaged one never does: whoever reads it reports it.
local function expiry(value)
  if #value < 8 then return math.huge end
  return (struct.unpack('<I8', value))
end

-- Writes side records: from ARGV[first] on, four arguments each (P or D, key, expiry or nothing, value).
local function write_records(values, names, expiries, first)
  for i = first, #ARGV, 4 do
    local key = ARGV[i + 1]
    if ARGV[i] == 'P' then
      redis.call('HSET', values, key, ARGV[i + 3])
      redis.call('ZADD', names, 0, key)
      -- The list of expiries may hold a value of another type: then nothing is swept, and all else goes on.
      if ARGV[i + 2] == '' then
        redis.pcall('ZREM', expiries, key)
      else
        redis.pcall('ZADD', expiries, ARGV[i + 2], key)
      end
    else
      redis.call('HDEL', values, key)
      redis.call('ZREM', names, key)
      redis.pcall('ZREM', expiries, key)
    end
  end
end
