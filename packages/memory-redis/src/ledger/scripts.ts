import { lua } from "../lua.ts";

/**
 * A Lua fragment. `dayNumber()` returns the number of days since 1970 by the server's clock, and `dateOf(number)` the
 * date of such a number in UTC, e.g. `2026-11-28`.
 */
export const calendar = lua`
local function dayNumber() return math.floor(redis.call('TIME')[1] / 86400) end
-- Counts from 1 March of the year 0: leap days are at the end of a year of this count.
local function dateOf(number)
  local days = number + 719468
  local era = math.floor(days / 146097)
  local ofEra = days - era * 146097
  local year = math.floor(
    (ofEra - math.floor(ofEra / 1460) + math.floor(ofEra / 36524) - math.floor(ofEra / 146096)) / 365)
  local ofYear = ofEra - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local month = math.floor((5 * ofYear + 2) / 153)
  local day = ofYear - math.floor((153 * month + 2) / 5) + 1
  month = month < 10 and month + 3 or month - 9
  year = year + era * 400 + (month <= 2 and 1 or 0)
  return string.format('%04d-%02d-%02d', year, month, day)
end
`;

/** A Lua fragment. `plus(amounts, more)` adds two lists of numbers, each a text with spaces between the numbers. */
const addition = lua`
local function plus(amounts, more)
  local sums = {}
  for number in string.gmatch(amounts, '%S+') do sums[#sums + 1] = tonumber(number) end
  local at = 0
  for number in string.gmatch(more, '%S+') do
    at = at + 1
    sums[at] = string.format('%.17g', sums[at] + tonumber(number))
  end
  return table.concat(sums, ' ')
end
`;

/**
 * Adds amounts to totals (for budgets) and to sums of the current day (for reports).
 *
 * KEYS  1 … totals of a user, a tenant or everyone: a Redis hash. The field 'day' has the day and its amounts, the
 *           field 'month' the month and its amounts, e.g. '2026-11 2 150 20 0 0 0 0.01'
 *         … starts of the keys of sums; with the day, the key of a Redis hash. A field is a name of a sum, e.g.
 *           '["user",null,"agent","model",null,null]', and its value has the amounts
 *       last  mark that the record is done; only if there is an id of the record
 * ARGV  1 id of the record; '' if the client never sends a command twice   2 days that sums are kept
 *       3 … three values for each addition: the number of its key in KEYS, the name of the sum or '' for totals, and
 *           the amounts
 *
 * Returns 1, or 0 if the record was already done.
 */
const record = lua`
${calendar}
${addition}

if ARGV[1] ~= '' and not redis.call('SET', KEYS[#KEYS], '', 'NX', 'EX', 600) then return 0 end
local number = dayNumber()
local day = dateOf(number)
local periods = { day = day, month = string.sub(day, 1, 7) }

local function addTotals(key, amounts)
  for field, current in pairs(periods) do
    local since, stored = string.match(redis.call('HGET', key, field) or '', '^(%S+) (.*)$')
    -- A total of a later period means that the clock was set back, e.g. by a failover. It is continued.
    if since and since >= current then redis.call('HSET', key, field, since .. ' ' .. plus(stored, amounts))
    else redis.call('HSET', key, field, current .. ' ' .. amounts) end
  end
  redis.call('EXPIRE', key, 32 * 86400)
end

local function addSum(key, name, amounts)
  local stored = redis.call('HGET', key, name)
  redis.call('HSET', key, name, stored and plus(stored, amounts) or amounts)
  if redis.call('TTL', key) < 0 then redis.call('EXPIREAT', key, (number + 1 + ARGV[2]) * 86400) end
end

for at = 3, #ARGV, 3 do
  local key = KEYS[tonumber(ARGV[at])]
  if ARGV[at + 1] == '' then addTotals(key, ARGV[at + 2])
  else addSum(key .. day, ARGV[at + 1], ARGV[at + 2]) end
end
return 1
`;

/**
 * Reads totals.
 *
 * KEYS  1 … totals: the hashes that the script record describes
 * ARGV  1 … period of each key: 'day' or 'month'
 *
 * Returns the amounts of each key in the current period, or '' if there are none.
 */
const totals = lua`
${calendar}

local day = dateOf(dayNumber())
local reply = {}
for at, key in ipairs(KEYS) do
  local current = ARGV[at] == 'day' and day or string.sub(day, 1, 7)
  local since, amounts = string.match(redis.call('HGET', key, ARGV[at]) or '', '^(%S+) (.*)$')
  reply[at] = since and since >= current and amounts or ''
end
return reply
`;

/**
 * Returns the days that have sums, with the last day first.
 *
 * KEYS  1 start of the keys of sums
 * ARGV  1 first day; '' for the first day of the month of the last day   2 last day; '' for the current day
 *       3 days that sums are kept
 */
const days = lua`
${calendar}

local number = dayNumber()
local to = ARGV[2] ~= '' and ARGV[2] or dateOf(number)
local from = ARGV[1] ~= '' and ARGV[1] or string.sub(to, 1, 8) .. '01'
local found = {}
-- The clock of another server may have been a day ahead.
for back = -1, tonumber(ARGV[3]) do
  local day = dateOf(number - back)
  if day < from then break end
  if day <= to and redis.call('EXISTS', KEYS[1] .. day) == 1 then found[#found + 1] = day end
end
return found
`;

/**
 * Renames sums of a day. Adds their amounts to the sums that already have the new names.
 *
 * KEYS  1 sums of a day: the hash that the script record describes
 * ARGV  1 … two values for each sum: its name and its new name
 *
 * Returns the number of sums that existed.
 */
const rename = lua`
${addition}

local renamed = 0
for at = 1, #ARGV, 2 do
  local amounts = redis.call('HGET', KEYS[1], ARGV[at])
  if amounts then
    local stored = redis.call('HGET', KEYS[1], ARGV[at + 1])
    redis.call('HSET', KEYS[1], ARGV[at + 1], stored and plus(stored, amounts) or amounts)
    redis.call('HDEL', KEYS[1], ARGV[at])
    renamed = renamed + 1
  end
end
return renamed
`;

export const scripts = { days, record, rename, totals } as const;
