import { lua } from "../../scripts/fragments.ts";
import { slices } from "./fragments.ts";

/**
 * A user's indexed facts that hold any of the terms.
 *
 * KEYS  1 postings: of each term, records of the facts that hold it, each with its weight   2 contexts
 * ARGV  1 facts whose contexts are in one field   2 … terms
 *
 * Returns { number of indexed facts, contexts in a list, postings of the first term … }. The contexts may be more than
 * those of the facts that were found.
 */
export const match = lua`
${slices}
local per_field = tonumber(ARGV[1])
local terms = {}
for at = 2, #ARGV do terms[#terms + 1] = ARGV[at] end
local found, fields, seen = fields_of(KEYS[1], terms), {}, {}
for at = 1, #terms do
  found[at] = found[at] or ''
  for seq in string.gmatch(found[at], ';(%d+):') do
    local field = math.floor(seq / per_field)
    if not seen[field] then
      seen[field] = true
      fields[#fields + 1] = field
    end
  end
end
local reply = { tonumber(redis.call('HGET', KEYS[2], 'size') or 0), fields_of(KEYS[2], fields) }
for at = 1, #terms do reply[at + 2] = found[at] end
return reply
`;
