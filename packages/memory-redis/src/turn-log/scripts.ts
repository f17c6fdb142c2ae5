import type { LoggedTurn, TurnState } from "@jaf/memory/adapter";
import { clockMicros, list, lua, number, text } from "../lua.ts";

/** Makes a key live at least this many milliseconds more. */
const extend = lua`
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
`;

/** Adds a turn to the indexes of its user. A continuing turn keeps its place among the open ones. */
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
 * Adds a turn to the list of running ones, if its own script can't.
 *
 * KEYS  1 running turns, by the ends of their leases
 * ARGV  1 the turn's name   2 duration of the lease in milliseconds
 *
 * Returns 1.
 */
const indexRunningTurn = lua`
${clockMicros}

redis.call('ZADD', KEYS[1], digits(clock() + ARGV[2] * 1000), ARGV[1])
return 1
`;

/**
 * Adds a turn to the indexes of its user, if `begin` can't.
 *
 * KEYS  1 the user's turns, by their expiry   2 the user's open turns, by their start
 * ARGV  1 the turn's name   2 how long the turn is kept, in milliseconds   3 1 if it begins, 0 if it continues
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
 * Stores how long a turn's entries in the indexes of its user live, after they were extended.
 *
 * KEYS  1 hash of the turn
 * ARGV  1 token
 *
 * Returns 1 if the writer holds the lease, else 0.
 */
const confirmIndexed = lua`
${clockMicros}

local token, keepMs = unpack(redis.call('HMGET', KEYS[1], 'token', 'keepMs'))
if token ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'indexed', digits(clock() + 2000 * keepMs))
return 1
`;

/**
 * Records the end of a turn in the indexes of its user, if `append` can't.
 *
 * KEYS  1 the user's turns   2 the user's open turns
 * ARGV  1 the turn's name   2 its state   3 how long the turn is kept, in milliseconds
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

/** Reads the fields of a turn for `toTurn`. `key` is that of its hash. */
const head = lua`
local function head(key)
  return redis.call('HMGET', key, 'conversation', 'user', 'turn', 'state', 'started', 'count', 'stop', 'record')
end
`;

/**
 * Begins a turn, unless the conversation has a running one.
 *
 * KEYS  1 turns of the conversation, in their order   2 hash of the turn
 *       3 running turns   4 the user's turns   5 the user's open turns; absent if they may be on another server
 * ARGV  1 conversation id   2 user id   3 turn id   4 token   5 request   6 lease in milliseconds   7 how long the turn is
 *       kept, in milliseconds   8 the turn's name in the indexes   9 start of the key of a turn's hash, before its id
 *
 * Returns 1 and the time of the start; 0 and the running turn; or 2 if the id is taken.
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
-- What has expired, a few at a time.
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
 * Stores events and renews the lease, or ends the turn.
 *
 * KEYS  1 hash of the turn   2 its events   3 turns of the conversation
 *       4 running turns   5 the user's turns   6 the user's open turns; absent if they may be on another server
 * ARGV  1 token   2 number of the first event, or '' to only renew the lease   3 the turn's name in the indexes
 *       4 state at the end, or '' if the turn continues   5 record   6 how long events are kept   7 how long the turn is
 *       kept, both in milliseconds   8 ... events
 *
 * Returns 1, whether a stop was requested, and how long the turn is kept if its entries in the user's indexes must be
 * extended, else 0; 0 if the lease is lost; or 2 if events are missing.
 */
const append = lua`
${clockMicros}
${extend}

local token, state, count, leaseMs, keepMs, stop, indexed =
  unpack(redis.call('HMGET', KEYS[1], 'token', 'state', 'count', 'leaseMs', 'keepMs', 'stop', 'indexed'))
if token ~= ARGV[1] then return { 0 } end
count = tonumber(count)
local given = #ARGV - 7
local first = tonumber(ARGV[2]) or count
if state ~= 'running' then
  if ARGV[4] ~= '' and first + given <= count then return { 1, tonumber(stop), 0 } end
  return { 0 }
end
if first > count then return { 2 } end
local at = 8 + count - first
while at <= #ARGV do
  local to = math.min(at + 4999, #ARGV)
  redis.call('RPUSH', KEYS[2], unpack(ARGV, at, to))
  at = to + 1
end
count = math.max(count, first + given)
local now = clock()
if ARGV[4] == '' then
  redis.call('HSET', KEYS[1], 'count', count, 'lease', digits(now + leaseMs * 1000))
  redis.call('PEXPIRE', KEYS[1], keepMs)
  redis.call('PEXPIRE', KEYS[2], keepMs)
  extend(KEYS[3], keepMs)
  local late = now + keepMs * 1000 > tonumber(indexed)
  return { 1, tonumber(stop), late and tonumber(keepMs) or 0 }
end
redis.call('HSET', KEYS[1], 'count', count, 'state', ARGV[4], 'record', ARGV[5])
redis.call('HDEL', KEYS[1], 'request')
redis.call('PEXPIRE', KEYS[1], ARGV[7])
redis.call('PEXPIRE', KEYS[2], ARGV[6])
extend(KEYS[3], ARGV[7])
if KEYS[4] then
  redis.call('ZREM', KEYS[4], ARGV[3])
  redis.call('ZADD', KEYS[5], digits(now + ARGV[7] * 1000), ARGV[3])
  extend(KEYS[5], ARGV[7])
  if ARGV[4] == 'ended' then redis.call('ZREM', KEYS[6], ARGV[3]) else extend(KEYS[6], ARGV[7]) end
end
return { 1, tonumber(stop), 0 }
`;

/**
 * Ends the lease of a turn's writer.
 *
 * KEYS  1 hash of the turn   2 running turns; absent if they may be on another server
 * ARGV  1 token   2 the turn's name in the index
 *
 * Returns 1 if the writer held the lease, else 0.
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
 * Gives a turn with an expired lease to a new writer.
 *
 * KEYS  1 hash of the turn
 * ARGV  1 token
 *
 * Returns the turn and its request, or nothing if the turn can't be taken over.
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
 * Returns the turn, the end of its lease and the server's time, in microseconds.
 */
const leases = lua`
${clockMicros}
${head}

return { head(KEYS[1]), redis.call('HGET', KEYS[1], 'lease'), digits(clock()) }
`;

/**
 * Asks the writer of a turn to stop.
 *
 * KEYS  1 hash of the turn
 *
 * Returns 1 if the turn is running, else 0.
 */
const requestStop = lua`
if redis.call('HGET', KEYS[1], 'state') ~= 'running' then return 0 end
redis.call('HSET', KEYS[1], 'stop', 1)
return 1
`;

/**
 * Reads events of a turn.
 *
 * KEYS  1 turns of the conversation
 * ARGV  1 turn id, or '' for the latest   2 start of the key of a turn's hash   3 start of the key of its events
 *       4 number of the first event   5 maximum number
 *
 * Returns the turn and its events, or nothing if there is no such turn.
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
 * Lists turns of a conversation, newest first.
 *
 * KEYS  1 turns of the conversation
 * ARGV  1 start of the key of a turn's hash   2 maximum number
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
 * Erases the turns of a conversation.
 *
 * KEYS  1 turns of the conversation
 * ARGV  1 start of the key of a turn's hash   2 start of the key of its events   3 a user id to erase only that user's
 *       turns, or ''
 *
 * Returns the turn id and user id of each erased turn.
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

/** Parses a reply of the scripts' `head`. Returns `undefined` if there is no such turn. */
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
