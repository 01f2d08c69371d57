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

-- When a record expires, by its value.
local function expiry(value)
  return (struct.unpack('<I8', value))
end

-- Writes side records: from ARGV[first] on, four arguments each (P or D, key, expiry or nothing, value).
local function write_records(values, names, expiries, first)
  for i = first, #ARGV, 4 do
    local key = ARGV[i + 1]
    if ARGV[i] == 'P' then
      redis.call('HSET', values, key, ARGV[i + 3])
      redis.call('ZADD', names, 0, key)
      if ARGV[i + 2] == '' then
        redis.call('ZREM', expiries, key)
      else
        redis.call('ZADD', expiries, ARGV[i + 2], key)
      end
    else
      redis.call('HDEL', values, key)
      redis.call('ZREM', names, key)
      redis.call('ZREM', expiries, key)
    end
  end
end
