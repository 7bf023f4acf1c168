// @ts-check
'use strict'

/**
 * The scripts of a store in Redis. Redis runs one at a time, so each is atomic. KEYS[1] is the prefix with its hash tag; all
 * keys begin with it, so that a cluster keeps a store in one place:
 *
 * - `<prefix>version`: the last version; `<prefix>time`: the latest time that was given out
 * - `<prefix>r:<space>`: a hash, key → `version order expiresAt updatedAt value`
 * - `<prefix>k:<space>`: a sorted set of all keys with one score, which lists them by their bytes
 * - `<prefix>o:<space>`: a sorted set of the keys that have a number, by it
 * - `<prefix>e:<log>`: a hash, id → `seq at value`; `<prefix>l:<log>`: a sorted set of the ids, by `seq`
 * - `<prefix>ends`: a sorted set of `space NUL key`, by the time at which the row ends
 */
const COMMON = `
local p = KEYS[1]
local function text(number) return string.format('%.0f', number) end
local function now()
  local time = redis.call('TIME')
  local moment = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  return math.max(moment, tonumber(redis.call('GET', p .. 'time') or '0'))
end
local function parts(row)
  local version, order, ends, updated, value = string.match(row, '^(%d+) (%S+) (%S+) (%d+) (.*)$')
  return version, order, tonumber(ends), updated, value
end
local function live(space, key, moment)
  local row = redis.call('HGET', p .. 'r:' .. space, key)
  if not row then return nil end
  local _, _, ends = parts(row)
  if ends and ends <= moment then return nil end
  return row
end
local function remove(space, key)
  redis.call('HDEL', p .. 'r:' .. space, key)
  redis.call('ZREM', p .. 'k:' .. space, key)
  redis.call('ZREM', p .. 'o:' .. space, key)
  redis.call('ZREM', p .. 'ends', space .. '\\0' .. key)
end
`

/** ARGV: channel, then for each operation its kind, name, key, value, order, expiresAt, expectation (`-` where there is none). */
const COMMIT = `${COMMON}
local moment = now()
local count = (#ARGV - 1) / 7
local function field(place, number) return ARGV[1 + (place - 1) * 7 + number] end
for place = 1, count do
  local expected = field(place, 7)
  if expected ~= '-' then
    local row = live(field(place, 2), field(place, 3), moment)
    local version = row and parts(row) or '0'
    if version ~= expected then return { '-' .. text(place) } end
  end
end
redis.call('SET', p .. 'time', text(moment))
local results, changed = {}, {}
local function put(space, key, value, order, ends)
  local version = text(redis.call('INCR', p .. 'version'))
  remove(space, key)
  redis.call('HSET', p .. 'r:' .. space, key, version .. ' ' .. order .. ' ' .. ends .. ' ' .. text(moment) .. ' ' .. value)
  redis.call('ZADD', p .. 'k:' .. space, 0, key)
  if order ~= '-' then redis.call('ZADD', p .. 'o:' .. space, order, key) end
  if ends ~= '-' then redis.call('ZADD', p .. 'ends', ends, space .. '\\0' .. key) end
  return version
end
local function append(log, id, value)
  local known = redis.call('ZSCORE', p .. 'l:' .. log, id)
  if known then return text(tonumber(known)) end
  local seq = text(redis.call('INCR', p .. 'version'))
  redis.call('ZADD', p .. 'l:' .. log, seq, id)
  redis.call('HSET', p .. 'e:' .. log, id, seq .. ' ' .. text(moment) .. ' ' .. value)
  return seq
end
for place = 1, count do
  local kind, name, key, value = field(place, 1), field(place, 2), field(place, 3), field(place, 4)
  if kind == 'put' then results[place] = put(name, key, value, field(place, 5), field(place, 6))
  elseif kind == 'append' then results[place] = append(name, key, value)
  else
    remove(name, key)
    results[place] = '0'
  end
  changed[name] = true
end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', p .. 'ends', '-inf', text(moment), 'LIMIT', 0, 20)) do
  local cut = string.find(member, '\\0', 1, true)
  local space, key = string.sub(member, 1, cut - 1), string.sub(member, cut + 1)
  if not live(space, key, moment) then remove(space, key) end
end
for name in pairs(changed) do redis.call('PUBLISH', ARGV[1], name) end
return results
`

/** ARGV: space and key of each row. Returns a row or nothing for each. */
const GET = `${COMMON}
local moment, rows = now(), {}
for place = 1, #ARGV, 2 do rows[#rows + 1] = live(ARGV[place], ARGV[place + 1], moment) or false end
return rows
`

/** ARGV: space, first and last bound of ZRANGEBYLEX, the number of rows. Returns keys and rows. */
const BY_KEY = `${COMMON}
local moment, found, most, from = now(), {}, tonumber(ARGV[4]), ARGV[2]
while true do
  local keys = redis.call('ZRANGEBYLEX', p .. 'k:' .. ARGV[1], from, ARGV[3], 'LIMIT', 0, most + 16)
  for _, key in ipairs(keys) do
    local row = live(ARGV[1], key, moment)
    if row then
      found[#found + 1] = key
      found[#found + 1] = row
      if #found == most * 2 then return found end
    end
  end
  if #keys < most + 16 then return found end
  from = '(' .. keys[#keys]
end
`

/** ARGV: space, prefix, lowest and highest number, the number and key to begin after, the number of rows. Returns keys and rows. */
const BY_NUMBER = `${COMMON}
local moment, found, most, offset = now(), {}, tonumber(ARGV[7]), 0
local prefix, first, behind = ARGV[2], tonumber(ARGV[5]), ARGV[6]
local lowest = math.max(tonumber(ARGV[3]), first)
while true do
  local keys = redis.call('ZRANGEBYSCORE', p .. 'o:' .. ARGV[1], text(lowest), ARGV[4], 'WITHSCORES', 'LIMIT', offset, most + 16)
  for place = 1, #keys, 2 do
    local key = keys[place]
    local isBehind = tonumber(keys[place + 1]) > first or key > behind
    local row = isBehind and string.sub(key, 1, #prefix) == prefix and live(ARGV[1], key, moment)
    if row then
      found[#found + 1] = key
      found[#found + 1] = row
      if #found == most * 2 then return found end
    end
  end
  if #keys < (most + 16) * 2 then return found end
  offset = offset + most + 16
end
`

/** ARGV: log, lowest and highest `seq` (both outside), the number of entries, `1` for the last ones. Returns ids and entries. */
const ENTRIES = `${COMMON}
local command, one, other = 'ZRANGEBYSCORE', '(' .. ARGV[2], '(' .. ARGV[3]
if ARGV[5] == '1' then command, one, other = 'ZREVRANGEBYSCORE', other, one end
local found = {}
for _, id in ipairs(redis.call(command, p .. 'l:' .. ARGV[1], one, other, 'LIMIT', 0, tonumber(ARGV[4]))) do
  found[#found + 1] = id
  found[#found + 1] = redis.call('HGET', p .. 'e:' .. ARGV[1], id)
end
return found
`

/** ARGV: log. Returns whether there was one. */
const CLEAR = `${COMMON}
redis.call('DEL', p .. 'e:' .. ARGV[1])
return redis.call('DEL', p .. 'l:' .. ARGV[1])
`

const TIME = `${COMMON}
return text(now())
`

module.exports = { BY_KEY, BY_NUMBER, CLEAR, COMMIT, ENTRIES, GET, TIME }
