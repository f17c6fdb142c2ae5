import type { LoggedTurn, TurnState } from "@jaf/memory/adapter";
import { clockMicros, list, lua, number, text } from "../lua.ts";

/** Has a key live so many milliseconds more, at least. */
const extend = lua`
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
`;

/** Enters a turn into the indexes of its user. One that goes on keeps its place among the open ones. */
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
 * Enters a turn into the list of running ones, where its own script can't.
 *
 * KEYS  1 running turns, by the ends of their leases
 * ARGV  1 the turn's name   2 for how long its writer has it, in milliseconds
 *
 * Returns 1.
 */
const indexRunningTurn = lua`
${clockMicros}

redis.call('ZADD', KEYS[1], digits(clock() + ARGV[2] * 1000), ARGV[1])
return 1
`;

/**
 * Enters a turn into the indexes of its user, where `begin` can't.
 *
 * KEYS  1 the user's turns, by when they have expired   2 the user's open turns, by their beginnings
 * ARGV  1 the turn's name   2 how long it is kept, in milliseconds   3 1 if it begins, 0 if it goes on
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
 * Stores until when the entries of a turn in the indexes of its user live, once they do.
 *
 * KEYS  1 hash of the turn
 * ARGV  1 token
 *
 * Returns 1 if the writer has the turn, else 0.
 */
const confirmIndexed = lua`
${clockMicros}

local token, keepMs = unpack(redis.call('HMGET', KEYS[1], 'token', 'keepMs'))
if token ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'indexed', digits(clock() + 2000 * keepMs))
return 1
`;

/**
 * Tells the indexes of a user that a turn has ended, where `append` can't.
 *
 * KEYS  1 the user's turns   2 the user's open turns
 * ARGV  1 the turn's name   2 its state   3 how long it is kept, in milliseconds
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

/** What is told of a turn. `key` is that of its hash. */
const head = lua`
local function head(key)
  return redis.call('HMGET', key, 'conversation', 'user', 'turn', 'state', 'started', 'count', 'stop', 'record')
end
`;

/**
 * Begins a turn, unless the conversation has one that runs.
 *
 * KEYS  1 turns of the conversation, by their order   2 hash of the turn
 *       3 running turns   4 the user's turns   5 the user's open turns: absent where they may lie on another server
 * ARGV  1 conversation id   2 user id   3 turn id   4 token   5 request   6 lease in milliseconds   7 how long to keep it,
 *       in milliseconds   8 the turn's name in the indexes   9 what the hash of a turn begins with, before its id
 *
 * Returns 1 and when it began; 0 and the turn that runs; or 2 if there is a turn of this id.
 */
const begin = lua`
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
 *       4 running turns   5 the user's turns   6 the user's open turns: absent where they may lie on another server
 * ARGV  1 token   2 number of the first event, or '' to renew the lease alone   3 the turn's name in the indexes
 *       4 state at the end, or '' if it goes on   5 record   6 how long events are kept   7 how long the turn is kept, both in
 *       milliseconds   8 ... events
 *
 * Returns 1, whether it should stop, and how long it is kept if the user's index has to be told, else 0; 0 if it is lost; or 2 if events are missing.
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
 * KEYS  1 hash of the turn   2 running turns: absent where they may lie on another server
 * ARGV  1 token   2 the turn's name in the index
 *
 * Returns 1 if the writer had it, else 0.
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
 * Gives a turn whose lease has ended a new writer.
 *
 * KEYS  1 hash of the turn
 * ARGV  1 token
 *
 * Returns the turn and its request; nothing if there is none to take over.
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
 * A turn, and when its lease ends.
 *
 * KEYS  1 hash of the turn
 *
 * Returns the turn, its lease's end and the server's time, in microseconds.
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
 * Returns 1 if it runs, else 0.
 */
const requestStop = lua`
if redis.call('HGET', KEYS[1], 'state') ~= 'running' then return 0 end
redis.call('HSET', KEYS[1], 'stop', 1)
return 1
`;

/**
 * Events of a turn.
 *
 * KEYS  1 turns of the conversation
 * ARGV  1 turn id, or '' for the latest   2 what the hash of a turn begins with, before its id   3 what its events' key begins
 *       with   4 number of the first event   5 how many, at most
 *
 * Returns the turn and its events; nothing if there is no such turn.
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
 * Turns of a conversation, the latest first.
 *
 * KEYS  1 turns of the conversation
 * ARGV  1 what the hash of a turn begins with, before its id   2 how many, at most
 *
 * Returns them.
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
 * ARGV  1 what the hash of a turn begins with, before its id   2 what its events' key begins with   3 a user id, or '': only
 *       that user's turns
 *
 * Returns of each that there was its id and its user's.
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

/** As the scripts' `head` gives it; `undefined`: there is no such turn. */
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
