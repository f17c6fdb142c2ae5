-- Those of the facts that exist, and their vectors, '' where a fact has none; no vectors where none has one, and where
-- `brief` is '1'.
local function facts_of(facts_key, vectors_key, seqs, brief)
  local stored = fields_of(facts_key, seqs)
  local wanted = brief ~= '1' and redis.call('EXISTS', vectors_key) == 1
  local known = wanted and fields_of(vectors_key, seqs)
  local facts, vectors = {}, {}
  for at = 1, #seqs do
    if stored[at] then
      facts[#facts + 1] = stored[at]
      if known then vectors[#vectors + 1] = known[at] or '' end
    end
  end
  return facts, vectors
end
