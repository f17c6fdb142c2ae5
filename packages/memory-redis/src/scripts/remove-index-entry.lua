-- Takes an entry out of an index whose conversation was found to be gone.
--
-- KEYS  1 index
-- ARGV  1 conversation id   2 when it was found to be gone, in ms   3 the marker of imports.lua
--
-- One that was written, or imported, at that time or later stays: the conversation may have been created since. So does
-- every entry while a Cluster is moving the marker.

local imported = redis.pcall('GET', ARGV[3])
if type(imported) == 'table' or imported and tonumber(imported) >= tonumber(ARGV[2]) then return 0 end
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and tonumber(score) < tonumber(ARGV[2]) then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return 0
