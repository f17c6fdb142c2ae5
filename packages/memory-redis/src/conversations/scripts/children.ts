import { lua } from "../../lua.ts";
import { enterIndex, reservedMs } from "./fragments.ts";

/**
 * Adds the id of a child to the index of its parent's children, before the child is created on another server.
 *
 * KEYS  1 parent   2 index of the parent's children
 * ARGV  1 id of the child   2 time on the server of the child, in ms since 1970   3 expected incarnation of the parent
 *       4 expected owner of the parent, '' for none   5 ttl of the child that its write sets, in ms, 0 for none
 *       6 ttl of new conversations in ms, 0 for none
 *
 * Returns { status; ttl of the child in ms, 0 for none }. Status 'registered': the id was added.
 * 'incarnation', 'owner': the check of the parent that failed; nothing was added.
 */
// Why no child of a deleted parent is left or appears, if parent and child are on different servers:
//
// A creation (1) reads the tombstone of the child's id, (2) runs this script, and (3) creates the child if the tombstone
// is unchanged. A deletion of the parent (a) reads the entries of its children, (b) deletes each child, or leaves a
// tombstone of it if it doesn't exist, (c) removes these entries unless they have changed since (a), and deletes the
// parent if no entry is left, or else begins again. Steps (2) and (c) are scripts on the parent's server, (3) and (b) on
// the child's.
//
// - If (2) comes after (c), there is no parent, or another one, and (2) refuses.
// - If (2) comes before (c), the entry was removed in between, and with the score that (2) gave it, because each (2) gives
//   another score. So (2) came before (a), and (b) after it. If (b) comes after (3), it deletes the child. If (b) comes
//   before (3), it leaves a tombstone that (1) hasn't read, and (3) creates nothing.
// - Others remove or lower an entry only if its score is in the past. An entry of (2) is a minute in the future, and
//   (3) creates nothing after this minute, by the clock that (1) has read.
// - If the creation dies after (2), an entry without a child is left. It does no harm, and readers remove it.
// - If the deletion dies, the parent is still there with the children that are left, and can be deleted again.
//
// If the parent expires between (2) and (3), the child is created. It has a ttl, too, is in no list, and is found in the
// index of its user by clearUser.
export const registerChild = lua`
${enterIndex}
${reservedMs}

local function ms(value) return tonumber(value) > 0 and tonumber(value) or nil end
local children, id = KEYS[2], ARGV[1]
local parent = redis.call('HMGET', KEYS[1], 'incarnation', 'userId', 'ttlMs')
if parent[1] ~= ARGV[3] then return { 'incarnation', 0 } end
if (parent[2] or '') ~= ARGV[4] then return { 'owner', 0 } end

local ttl = ms(ARGV[5]) or tonumber(parent[3]) or ms(ARGV[6])
-- The fraction marks the entry as reserved. It is different for each call within a millisecond.
local fraction = (redis.call('TIME')[2] % 1000 + 1) / 1024
enter_index(children, id, ARGV[2] + RESERVED_MS + fraction, ttl and math.max(ttl, RESERVED_MS))
return { 'registered', ttl or 0 }
`;
