import { lua } from "../../lua.ts";
import { begin } from "../../turn-log/scripts.ts";
import { write } from "./write.ts";

/**
 * Runs the scripts `write` and `begin` as one: either both succeed, or nothing changes.
 *
 * KEYS  1 … 5 those of `begin`   6 … those of `write`
 * ARGV  1 … 9 those of `begin`   10 … those of `write`
 *
 * Returns what `write` returns. An additional status is 'turn': the turn can't begin, or the write was made before.
 */
export const writeAndBegin = lua`
local TURN_KEYS, TURN_ARGS = 5, 9
local function between(list, from, to)
  local part = {}
  for at = from, to do part[#part + 1] = list[at] end
  return part
end
local turn_keys, write_keys = between(KEYS, 1, TURN_KEYS), between(KEYS, TURN_KEYS + 1, #KEYS)
local turn_args, write_args = between(ARGV, 1, TURN_ARGS), between(ARGV, TURN_ARGS + 1, #ARGV)

-- What begin refuses is refused before anything is written.
local none = { 'turn', 0, 0, 0, '', 0, 0, 0, '' }
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0)[1]
if last and redis.call('HGET', ARGV[9] .. last, 'state') == 'running' then return none end
if redis.call('EXISTS', KEYS[2]) == 1 then return none end

local function write(KEYS, ARGV)
${write}
end
local function begin(KEYS, ARGV)
${begin}
end

local reply = write(write_keys, write_args)
if reply[1] == 'replayed' then return none end
if reply[1] == 'written' then begin(turn_keys, turn_args) end
return reply
`;
