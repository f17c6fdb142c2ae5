import { clockMicros, lua } from "../scripts/fragments.ts";

/** Has a key live so many milliseconds more, at least. */
export const extend = lua`
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
`;

/** Enters a turn into the indexes of its user. One that goes on keeps its place among the open ones. */
export const indexTurn = lua`
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
export const markRunning = lua`
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
export const markUser = lua`
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
export const confirmIndexed = lua`
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
export const markEnd = lua`
${clockMicros}
${extend}

redis.call('ZADD', KEYS[1], digits(clock() + ARGV[3] * 1000), ARGV[1])
extend(KEYS[1], ARGV[3])
if ARGV[2] == 'ended' then redis.call('ZREM', KEYS[2], ARGV[1]) else extend(KEYS[2], ARGV[3]) end
return 1
`;
