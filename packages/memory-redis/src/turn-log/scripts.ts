import type { LoggedTurn, TurnState } from "@jaf/memory/adapter";
import { clockMicros, list, lua, number, text } from "../lua.ts";

/** A Lua fragment. `extend` makes a key live for at least this many milliseconds from now. */
const extend = lua`
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
`;

/**
 * A Lua fragment. `indexTurn` adds a turn to the list of its user's turns and to the list of its user's open (running
 * or waiting) turns. `goesOn`: whether the turn began earlier.
 */
const indexTurn = lua`
local function indexTurn(turns, open, name, now, keepMs, goesOn)
  redis.call('ZREMRANGEBYSCORE', turns, '-inf', digits(now))
  redis.call('ZADD', turns, digits(now + 2000 * keepMs), name)
  extend(turns, digits(2 * keepMs))
  if goesOn then redis.call('ZADD', open, 'NX', digits(now), name)
  else redis.call('ZADD', open, digits(now), name) end
  extend(open, digits(2 * keepMs))
end
`;

/**
 * Adds a turn to the list of running turns.
 *
 * KEYS  1 list of running turns, by the ends of their leases
 * ARGV  1 the turn's name: its conversation id and turn id   2 duration of the lease in ms
 *
 * Returns 1.
 */
const indexRunningTurn = lua`
${clockMicros}

redis.call('ZADD', KEYS[1], digits(clock() + ARGV[2] * 1000), ARGV[1])
return 1
`;

/**
 * Adds a turn to the lists of its user's turns.
 *
 * KEYS  1 list of the user's turns, by their expiry   2 list of the user's open turns, by their start
 * ARGV  1 the turn's name: its conversation id and turn id   2 how long the turn is kept, in ms
 *       3 '1' if the turn begins, '0' if it continues
 *
 * Returns 1.
 */
const indexUserTurn = lua`
${clockMicros}
${extend}
${indexTurn}

indexTurn(KEYS[1], KEYS[2], ARGV[1], clock(), ARGV[2], ARGV[3] == '0')
return 1
`;

/**
 * Stores in a turn's Redis hash until when the turn's entries in its user's lists are kept. Must be called after
 * `indexUserTurn`.
 *
 * KEYS  1 hash of the turn
 * ARGV  1 token: the random text that identifies the writer
 *
 * Returns 1 if this writer holds the lease. Otherwise changes nothing and returns 0.
 */
const confirmIndexed = lua`
${clockMicros}

local token, keepMs = unpack(redis.call('HMGET', KEYS[1], 'token', 'keepMs'))
if token ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'indexed', digits(clock() + 2000 * keepMs))
return 1
`;

/**
 * Updates the lists of a user's turns after the state of one of these turns has become 'ended' or 'waiting'.
 *
 * KEYS  1 list of the user's turns   2 list of the user's open turns
 * ARGV  1 the turn's name: its conversation id and turn id   2 'ended' or 'waiting'
 *       3 how long the turn is kept, in ms
 *
 * Returns 1.
 */
const indexTurnEnd = lua`
${clockMicros}
${extend}

redis.call('ZADD', KEYS[1], digits(clock() + ARGV[3] * 1000), ARGV[1])
extend(KEYS[1], ARGV[3])
if ARGV[2] == 'ended' then redis.call('ZREM', KEYS[2], ARGV[1]) else extend(KEYS[2], ARGV[3]) end
return 1
`;

/**
 * A Lua fragment. `head` returns the fields of a turn that `toTurn` converts into a `LoggedTurn`. `key`: the key of the
 * turn's Redis hash.
 */
const head = lua`
local function head(key)
  return redis.call('HMGET', key, 'conversation', 'user', 'turn', 'state', 'started', 'count', 'stop', 'record')
end
`;

/**
 * Begins a turn, unless the conversation has a running turn.
 *
 * KEYS  1 list of the conversation's turns, in their order   2 hash of the turn
 *       3 list of running turns   4 list of the user's turns   5 list of the user's open turns
 *       3 to 5 are absent if they may be on another server
 * ARGV  1 conversation id   2 user id   3 turn id   4 token: a random text that identifies the writer
 *       5 request: the data that a take-over needs   6 duration of the lease in ms   7 how long the turn is kept, in ms
 *       8 the turn's name: its conversation id and turn id   9 start of the key of a turn's hash; the turn id follows
 *
 * Returns { 1, time of the start in microseconds } if the turn has begun, { 0, running turn } if the conversation has a
 * running turn, or { 2 } if the turn id is taken.
 */
export const begin = lua`
${clockMicros}
${head}
${extend}
${indexTurn}

local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if last[1] then
  local key = ARGV[9] .. last[1]
  local state = redis.call('HGET', key, 'state')
  if state == 'running' then return { 0, head(key) } end
  if state == 'waiting' then redis.call('HSET', key, 'state', 'ended') end
end
if redis.call('EXISTS', KEYS[2]) == 1 then return { 2 } end
-- Remove the entries of expired turns, a few at a time.
for _, turn in ipairs(redis.call('ZRANGE', KEYS[1], 0, 9)) do
  if redis.call('EXISTS', ARGV[9] .. turn) == 0 then redis.call('ZREM', KEYS[1], turn) end
end
local now = clock()
redis.call('HSET', KEYS[2], 'conversation', ARGV[1], 'user', ARGV[2], 'turn', ARGV[3], 'token', ARGV[4],
  'request', ARGV[5], 'leaseMs', ARGV[6], 'keepMs', ARGV[7], 'state', 'running', 'started', digits(now),
  'count', 0, 'stop', 0, 'lease', digits(now + ARGV[6] * 1000), 'indexed', digits(now + 2000 * ARGV[7]))
redis.call('PEXPIRE', KEYS[2], ARGV[7])
redis.call('ZADD', KEYS[1], (last[2] or 0) + 1, ARGV[3])
extend(KEYS[1], ARGV[7])
if KEYS[3] then
  redis.call('ZADD', KEYS[3], digits(now + ARGV[6] * 1000), ARGV[8])
  indexTurn(KEYS[4], KEYS[5], ARGV[8], now, ARGV[7])
end
return { 1, digits(now) }
`;

/**
 * Stores events of a turn. Then renews the lease, or ends the turn.
 *
 * KEYS  1 hash of the turn   2 events of the turn   3 list of the conversation's turns
 *       4 list of running turns   5 list of the user's turns   6 list of the user's open turns
 *       4 to 6 are absent if they may be on another server
 * ARGV  1 token: the random text that identifies the writer
 *       2 number of the first event, or '' to only renew the lease   3 number of events   4 … events
 *       The rest is absent if the turn continues:
 *       'ended' or 'waiting'   the record of the turn's end
 *       how long the events are kept after the end, in ms   how long the turn is kept after the end, in ms
 *       the turn's name: its conversation id and turn id
 *
 * Returns one of these:
 *
 *   { 1, stop, extend }   done. `stop`: 1 if a stop was requested, else 0. `extend`: if the turn's entries in its
 *                         user's lists must be extended, how long the turn is kept in ms; else 0
 *   { 0 }                 this writer has lost the lease; nothing has changed
 *   { 2 }                 events before the first one are missing; nothing has changed
 */
const append = lua`
${clockMicros}
${extend}

local token, state, count, leaseMs, keepMs, stop, indexed =
  unpack(redis.call('HMGET', KEYS[1], 'token', 'state', 'count', 'leaseMs', 'keepMs', 'stop', 'indexed'))
if token ~= ARGV[1] then return { 0 } end
count = tonumber(count)
local given = tonumber(ARGV[3])
local after = 4 + given
local ending, record, eventsMs, recordMs, name = unpack(ARGV, after)
local first = tonumber(ARGV[2]) or count
if state ~= 'running' then
  if ending and first + given <= count then return { 1, tonumber(stop), 0 } end
  return { 0 }
end
if first > count then return { 2 } end
local at = 4 + count - first
while at < after do
  local to = math.min(at + 4999, after - 1)
  redis.call('RPUSH', KEYS[2], unpack(ARGV, at, to))
  at = to + 1
end
count = math.max(count, first + given)
local now = clock()
if not ending then
  redis.call('HSET', KEYS[1], 'count', count, 'lease', digits(now + leaseMs * 1000))
  redis.call('PEXPIRE', KEYS[1], keepMs)
  redis.call('PEXPIRE', KEYS[2], keepMs)
  extend(KEYS[3], keepMs)
  local late = now + keepMs * 1000 > tonumber(indexed)
  return { 1, tonumber(stop), late and tonumber(keepMs) or 0 }
end
redis.call('HSET', KEYS[1], 'count', count, 'state', ending, 'record', record)
redis.call('HDEL', KEYS[1], 'request')
redis.call('PEXPIRE', KEYS[1], recordMs)
redis.call('PEXPIRE', KEYS[2], eventsMs)
extend(KEYS[3], recordMs)
if KEYS[4] then
  redis.call('ZREM', KEYS[4], name)
  redis.call('ZADD', KEYS[5], digits(now + recordMs * 1000), name)
  extend(KEYS[5], recordMs)
  if ending == 'ended' then redis.call('ZREM', KEYS[6], name) else extend(KEYS[6], recordMs) end
end
return { 1, tonumber(stop), 0 }
`;

/**
 * Ends the lease of a turn's writer, so another process can take over the running turn.
 *
 * KEYS  1 hash of the turn   2 list of running turns; absent if it may be on another server
 * ARGV  1 token: the random text that identifies the writer   2 the turn's name: its conversation id and turn id
 *
 * Returns 1 if this writer held the lease, else 0.
 */
const release = lua`
${clockMicros}

local token, state = unpack(redis.call('HMGET', KEYS[1], 'token', 'state'))
if token ~= ARGV[1] or state ~= 'running' then return 0 end
local now = digits(clock())
redis.call('HSET', KEYS[1], 'lease', now)
if KEYS[2] then redis.call('ZADD', KEYS[2], now, ARGV[2]) end
return 1
`;

/**
 * Gives a running turn with an expired lease to a new writer.
 *
 * KEYS  1 hash of the turn
 * ARGV  1 token: a random text that identifies the new writer
 *
 * Returns { fields of the turn, request: the data to continue the turn }. Returns an empty list if the turn can't be
 * taken over.
 */
const takeOver = lua`
${clockMicros}
${head}
${extend}

local state, lease, leaseMs, request = unpack(redis.call('HMGET', KEYS[1], 'state', 'lease', 'leaseMs', 'request'))
local now = clock()
if state ~= 'running' or tonumber(lease) > now then return {} end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'lease', digits(now + leaseMs * 1000))
extend(KEYS[1], leaseMs)
return { head(KEYS[1]), request }
`;

/**
 * Reads a turn and the end of its lease.
 *
 * KEYS  1 hash of the turn
 *
 * Returns { turn, end of its lease, the server's time }. Both times are in microseconds since 1970.
 */
const leases = lua`
${clockMicros}
${head}

return { head(KEYS[1]), redis.call('HGET', KEYS[1], 'lease'), digits(clock()) }
`;

/**
 * Asks the writer of a turn to stop. The writer learns this from its next `append`.
 *
 * KEYS  1 hash of the turn
 *
 * Returns 1 if the turn is running. Otherwise changes nothing and returns 0.
 */
const requestStop = lua`
if redis.call('HGET', KEYS[1], 'state') ~= 'running' then return 0 end
redis.call('HSET', KEYS[1], 'stop', 1)
return 1
`;

/**
 * Reads events of a turn.
 *
 * KEYS  1 list of the conversation's turns
 * ARGV  1 turn id, or '' for the conversation's latest turn   2 start of the key of a turn's hash; the turn id follows
 *       3 start of the key of a turn's events; the turn id follows   4 number of the first event
 *       5 maximum number of events
 *
 * Returns { turn, events }. Returns an empty list if there is no such turn.
 */
const read = lua`
${head}

local turn = ARGV[1]
if turn == '' then
  for _, candidate in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, 9)) do
    if redis.call('EXISTS', ARGV[2] .. candidate) == 1 then turn = candidate break end
  end
  if turn == '' then return {} end
end
local found = head(ARGV[2] .. turn)
if not found[1] then return {} end
return { found, redis.call('LRANGE', ARGV[3] .. turn, ARGV[4], ARGV[4] + ARGV[5] - 1) }
`;

/**
 * Lists turns of a conversation, the newest first.
 *
 * KEYS  1 list of the conversation's turns
 * ARGV  1 start of the key of a turn's hash; the turn id follows   2 maximum number of turns
 *
 * Returns the turns.
 */
const listTurns = lua`
${head}

local found = {}
for _, turn in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, -1)) do
  local each = head(ARGV[1] .. turn)
  if each[1] then found[#found + 1] = each end
  if #found == tonumber(ARGV[2]) then break end
end
return found
`;

/**
 * Erases the turns of a conversation, or only those of one user.
 *
 * KEYS  1 list of the conversation's turns
 * ARGV  1 start of the key of a turn's hash; the turn id follows
 *       2 start of the key of a turn's events; the turn id follows
 *       3 a user id, to erase only this user's turns, or ''
 *
 * Returns the turn id and the user id of each erased turn.
 */
const erase = lua`
local erased, others = {}, 0
for _, turn in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local user = redis.call('HGET', ARGV[1] .. turn, 'user')
  if user and (ARGV[3] == '' or user == ARGV[3]) then
    erased[#erased + 1] = turn
    erased[#erased + 1] = user
    redis.call('UNLINK', ARGV[1] .. turn, ARGV[2] .. turn)
  elseif user then
    others = others + 1
  end
end
if others == 0 then redis.call('UNLINK', KEYS[1]) end
return erased
`;

export const scripts = {
  ...{
    append,
    begin,
    confirmIndexed,
    erase,
    indexRunningTurn,
    indexTurnEnd,
    indexUserTurn,
    leases,
    listTurns,
  },
  ...{ read, release, requestStop, takeOver },
} as const;

/**
 * Converts the fields of a turn, as the Lua fragment `head` returns them, into a `LoggedTurn`. Returns `undefined` if
 * the turn doesn't exist.
 */
export function toTurn(reply: unknown): LoggedTurn | undefined {
  const [conversationId, userId, turnId, state, started, count, stop, record] = list(reply);
  if (conversationId == null) return undefined;
  return {
    conversationId: text(conversationId),
    userId: text(userId),
    turnId: text(turnId),
    state: text(state) as TurnState,
    startedAt: new Date(Math.floor(number(started) / 1_000)),
    events: number(count),
    stopRequested: number(stop) === 1,
    ...(record == null ? {} : { record: text(record) }),
  };
}

export const toTurns = (reply: unknown): readonly LoggedTurn[] =>
  list(reply)
    .map(toTurn)
    .filter((turn) => turn !== undefined);
