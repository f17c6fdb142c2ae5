-- Some entries of an index, at random.
--
-- KEYS  1 index
-- ARGV  1 at most this many
--
-- Returns conversation ids.

return redis.call('ZRANDMEMBER', KEYS[1], ARGV[1])
