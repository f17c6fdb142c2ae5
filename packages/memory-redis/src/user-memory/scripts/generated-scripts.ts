// Made of the .lua files beside it by the script "generate": edit those.
export const scripts = {
  audit: `local head = redis.call('HMGET', KEYS[1], 'version', 'epoch', 'state')
local entries = redis.call('LRANGE', KEYS[2], ARGV[1], ARGV[2])
return { head[1] or '', head[2] or '', head[3] or '', redis.call('LLEN', KEYS[2]), entries }
`,
  commit: `local SLICE = 4000
local function call_all(command, key, list)
  for from = 1, #list, SLICE do
    redis.call(command, key, unpack(list, from, math.min(from + SLICE - 1, #list)))
  end
end
local function fields_of(key, fields)
  local values = {}
  for from = 1, #fields, SLICE do
    local some = redis.call('HMGET', key, unpack(fields, from, math.min(from + SLICE - 1, #fields)))
    for at = 1, #some do values[from + at - 1] = some[at] end
  end
  return values
end
local function edit(key)
  local values, changed = {}, {}
  local edits = {}
  function edits.load(fields)
    local missing = {}
    for _, field in ipairs(fields) do
      if values[field] == nil then
        values[field] = false
        missing[#missing + 1] = field
      end
    end
    for at, value in ipairs(fields_of(key, missing)) do values[missing[at]] = value end
  end
  function edits.get(field)
    if values[field] == nil then values[field] = redis.call('HGET', key, field) end
    return values[field]
  end
  function edits.set(field, value)
    values[field] = value
    changed[field] = true
  end
  function edits.write()
    local set, deleted = {}, {}
    for field in pairs(changed) do
      if values[field] then
        set[#set + 1] = field
        set[#set + 1] = values[field]
      else
        deleted[#deleted + 1] = field
      end
    end
    call_all('HSET', key, set)
    call_all('HDEL', key, deleted)
  end
  return edits
end
local POSTING = { mark = ';', stop = ':' } -- ;<seq>:<weight>
local SIGNATURE = { mark = ';', stop = ':' } -- ;<seq>:<signature>
local CONTEXT = { mark = '[', stop = ',' } -- [<seq>,<context>],
local function find_record(records, kind, seq)
  local from, to = string.find(records, kind.mark .. seq .. kind.stop, 1, true)
  if not from then return nil end
  local rest = string.find(records, kind.mark, to, true)
  return from, rest and rest - 1 or #records
end
local function without(records, kind, seq)
  local from, to = find_record(records, kind, seq)
  if not from then return records end
  return string.sub(records, 1, from - 1) .. string.sub(records, to + 1)
end
local CHUNK = 2048
local function highest_of(records)
  local highest = -1
  for seq in string.gmatch(records, ';(%d+):') do highest = math.max(highest, tonumber(seq)) end
  return highest
end
local function chunk_of(directory, seq)
  local last = string.match(directory, '(%d+)$')
  if tonumber(last) <= tonumber(seq) then return last, true end
  local found
  for number in string.gmatch(directory, '%d+') do
    if tonumber(number) > tonumber(seq) then break end
    found = number
  end
  return found, false
end
local function drop_chunk(edits, term, number)
  local root = '=' .. term
  local rest = string.gsub(edits.get(root) .. ',', ',' .. number .. ',', ',')
  rest = string.sub(rest, 1, -2)
  edits.set(number .. ':' .. term, false)
  if rest == '#0' and not edits.get('0:' .. term) then rest = false end
  edits.set(root, rest)
end
local function add_chunk(edits, term, seq, record)
  local root = '=' .. term
  local records = edits.get(root)
  if string.sub(records, 1, 1) ~= '#' then
    edits.set('0:' .. term, records)
    records = '#0'
  end
  edits.set(root, records .. ',' .. seq)
  edits.set(seq .. ':' .. term, record)
end
local function post(edits, term, seq, weight)
  local field, number, is_last = '=' .. term, nil, true
  local stored = edits.get(field) or ''
  if string.sub(stored, 1, 1) == '#' then
    number, is_last = chunk_of(stored, seq)
    field = number .. ':' .. term
    stored = edits.get(field) or ''
  end
  local records = without(stored, POSTING, seq)
  if weight == '0' then
    if records == stored then return end
    edits.set(field, records ~= '' and records)
    if records == '' and number then drop_chunk(edits, term, number) end
    return
  end
  local record = ';' .. seq .. ':' .. weight
  if is_last and #records >= CHUNK and highest_of(records) < tonumber(seq) then
    add_chunk(edits, term, seq, record)
  else
    edits.set(field, records .. record)
  end
end
local head = redis.call('HMGET', KEYS[1], 'version', 'write')
if (head[1] or '0') ~= ARGV[1] then
  if head[2] ~= ARGV[2] then return 0 end
  redis.call('HSET', KEYS[1], 'write', ARGV[2])
  return 1
end
local at = 2
local function take()
  at = at + 1
  return ARGV[at]
end
local commands = {}
for _ = 1, tonumber(take()) do
  local name, key, count = take(), KEYS[tonumber(take())], tonumber(take())
  commands[#commands + 1] = { name, key, at + 1, at + count }
  at = at + count
end
local function changes_of(key, change)
  local edits = edit(key)
  local count = tonumber(take())
  local first = at + 1
  at = at + 3 * count
  local fields = {}
  for from = first, at, 3 do fields[#fields + 1] = change.field(ARGV[from]) end
  edits.load(fields)
  for from = first, at, 3 do change.apply(edits, ARGV[from], ARGV[from + 1], ARGV[from + 2]) end
  return edits
end
local lookups = changes_of(KEYS[2], {
  field = function(name) return name end,
  apply = function(edits, name, seq, added)
    local seqs = string.gsub(',' .. (edits.get(name) or '') .. ',', ',' .. seq .. ',', ',')
    seqs = string.sub(seqs, 2, -2)
    if added == '1' then seqs = seqs == '' and seq or seqs .. ',' .. seq end
    edits.set(name, seqs ~= '' and seqs)
  end,
})
local postings = changes_of(KEYS[3], { field = function(term) return '=' .. term end, apply = post })
local function records_of(kind)
  return {
    field = function(field) return field end,
    apply = function(edits, field, seq, record)
      local stored = edits.get(field) or ''
      local others = without(stored, kind, seq)
      local records = others .. record
      edits.set(field, records ~= '' and records)
      local gained = (record ~= '' and 1 or 0) - (others ~= stored and 1 or 0)
      if kind == CONTEXT and gained ~= 0 then
        local size = (edits.get('size') or 0) + gained
        edits.set('size', size > 0 and size)
      end
    end,
  }
end
local signatures = changes_of(KEYS[4], records_of(SIGNATURE))
local contexts = changes_of(KEYS[5], records_of(CONTEXT))
for _, command in ipairs(commands) do
  local kind = command[1]
  if kind == 'RPUSH' then redis.call('LLEN', command[2])
  elseif string.sub(kind, 1, 1) == 'Z' then redis.call('ZCARD', command[2])
  else redis.call('HLEN', command[2]) end
end
lookups.write()
postings.write()
signatures.write()
contexts.write()
for _, command in ipairs(commands) do
  redis.call(command[1], command[2], unpack(ARGV, command[3], command[4]))
end
return 1
`,
  erase: `local SLICE = 4000
local function call_all(command, key, list)
  for from = 1, #list, SLICE do
    redis.call(command, key, unpack(list, from, math.min(from + SLICE - 1, #list)))
  end
end
local function fields_of(key, fields)
  local values = {}
  for from = 1, #fields, SLICE do
    local some = redis.call('HMGET', key, unpack(fields, from, math.min(from + SLICE - 1, #fields)))
    for at = 1, #some do values[from + at - 1] = some[at] end
  end
  return values
end
local erased = redis.call('HMGET', KEYS[1], 'write', 'erased')
if erased[1] == ARGV[1] then
  redis.call('HSET', KEYS[1], 'write', ARGV[1])
  local reply = {}
  for count in string.gmatch(erased[2], '%d+') do reply[#reply + 1] = tonumber(count) end
  return reply
end
local reply = { redis.call('HLEN', KEYS[3]), redis.call('HLEN', KEYS[4]), redis.call('HLEN', KEYS[5]) }
local counts = table.concat(reply, ' ')
local jobs = redis.call('HGETALL', KEYS[5])
for at = 1, #jobs, 2 do
  reply[#reply + 1] = jobs[at]
  reply[#reply + 1] = string.match(jobs[at + 1], '^%S+')
end
redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('HINCRBY', KEYS[1], 'epoch', 1)
redis.call('HSET', KEYS[1], 'state', ARGV[2], 'write', ARGV[1], 'erased', counts)
redis.call('UNLINK', unpack(KEYS, 2))
local entries = {}
for at = 3, #ARGV do entries[#entries + 1] = ARGV[at] end
call_all('RPUSH', KEYS[2], entries)
return reply
`,
  findJob: `local stored = redis.call('HGET', KEYS[1], ARGV[1])
if not stored then return false end
if ARGV[2] == '1' then redis.call('HDEL', KEYS[1], ARGV[1]) end
return string.match(stored, '^%S+')
`,
  leaseJobs: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local now = clock()
local entries = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])
for _, entry in ipairs(entries) do redis.call('ZADD', KEYS[1], now + ARGV[1], entry) end
return entries
`,
  list: `local SLICE = 4000
local function call_all(command, key, list)
  for from = 1, #list, SLICE do
    redis.call(command, key, unpack(list, from, math.min(from + SLICE - 1, #list)))
  end
end
local function fields_of(key, fields)
  local values = {}
  for from = 1, #fields, SLICE do
    local some = redis.call('HMGET', key, unpack(fields, from, math.min(from + SLICE - 1, #fields)))
    for at = 1, #some do values[from + at - 1] = some[at] end
  end
  return values
end
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
local seqs = {}
for at = 3, #KEYS do
  local some = redis.call('ZREVRANGEBYSCORE', KEYS[at], '(' .. ARGV[1], '-inf', 'LIMIT', 0, ARGV[2])
  for _, seq in ipairs(some) do seqs[#seqs + 1] = seq end
end
table.sort(seqs, function(a, b) return tonumber(a) > tonumber(b) end)
for at = #seqs, tonumber(ARGV[2]) + 1, -1 do seqs[at] = nil end
local facts, vectors = facts_of(KEYS[1], KEYS[2], seqs, ARGV[3])
return { facts, vectors }
`,
  match: `local SLICE = 4000
local function call_all(command, key, list)
  for from = 1, #list, SLICE do
    redis.call(command, key, unpack(list, from, math.min(from + SLICE - 1, #list)))
  end
end
local function fields_of(key, fields)
  local values = {}
  for from = 1, #fields, SLICE do
    local some = redis.call('HMGET', key, unpack(fields, from, math.min(from + SLICE - 1, #fields)))
    for at = 1, #some do values[from + at - 1] = some[at] end
  end
  return values
end
local POSTING = { mark = ';', stop = ':' } -- ;<seq>:<weight>
local SIGNATURE = { mark = ';', stop = ':' } -- ;<seq>:<signature>
local CONTEXT = { mark = '[', stop = ',' } -- [<seq>,<context>],
local function find_record(records, kind, seq)
  local from, to = string.find(records, kind.mark .. seq .. kind.stop, 1, true)
  if not from then return nil end
  local rest = string.find(records, kind.mark, to, true)
  return from, rest and rest - 1 or #records
end
local function without(records, kind, seq)
  local from, to = find_record(records, kind, seq)
  if not from then return records end
  return string.sub(records, 1, from - 1) .. string.sub(records, to + 1)
end
local per_field = tonumber(ARGV[1])
local roots = {}
for at = 2, #ARGV do roots[#roots + 1] = '=' .. ARGV[at] end
local found = fields_of(KEYS[1], roots)
local length = 0
for at = 1, #roots do
  local records = found[at] or ''
  if string.sub(records, 1, 1) == '#' then
    local chunks = {}
    for number in string.gmatch(records, '%d+') do chunks[#chunks + 1] = number .. ':' .. ARGV[at + 1] end
    chunks = fields_of(KEYS[1], chunks)
    for chunk = 1, #chunks do chunks[chunk] = chunks[chunk] or '' end
    records = table.concat(chunks)
  end
  found[at] = records
  length = length + #records
end
local function all_contexts()
  local contexts = {}
  for _, records in ipairs(redis.call('HVALS', KEYS[2])) do
    if string.sub(records, 1, #CONTEXT.mark) == CONTEXT.mark then contexts[#contexts + 1] = records end
  end
  return contexts
end
local function contexts_of_found()
  local contexts, fields, seqs, seen = {}, {}, {}, {}
  for _, records in ipairs(found) do
    for seq in string.gmatch(records, ';(%d+):') do
      local field = math.floor(seq / per_field)
      if not seqs[field] then
        seqs[field] = {}
        fields[#fields + 1] = field
      end
      if not seen[seq] then
        seen[seq] = true
        table.insert(seqs[field], seq)
      end
    end
  end
  for at, records in ipairs(fields_of(KEYS[2], fields)) do
    for _, seq in ipairs(seqs[fields[at]]) do
      local from, to = find_record(records or '', CONTEXT, seq)
      if from then contexts[#contexts + 1] = string.sub(records, from, to) end
    end
  end
  return contexts
end
local size = tonumber(redis.call('HGET', KEYS[2], 'size') or 0)
local contexts = length / 8 > size / 4 and all_contexts() or contexts_of_found()
local reply = { size, contexts }
for at = 1, #roots do reply[at + 2] = found[at] end
return reply
`,
  read: `local SLICE = 4000
local function call_all(command, key, list)
  for from = 1, #list, SLICE do
    redis.call(command, key, unpack(list, from, math.min(from + SLICE - 1, #list)))
  end
end
local function fields_of(key, fields)
  local values = {}
  for from = 1, #fields, SLICE do
    local some = redis.call('HMGET', key, unpack(fields, from, math.min(from + SLICE - 1, #fields)))
    for at = 1, #some do values[from + at - 1] = some[at] end
  end
  return values
end
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
local function part(from)
  local list = {}
  for at = from + 1, from + tonumber(ARGV[from]) do list[#list + 1] = ARGV[at] end
  return list, from + 1 + #list
end
local digests, at = part(2)
local seqs
seqs, at = part(at)
local names = {}
for from = at, #ARGV do names[#names + 1] = ARGV[from] end
local seen = {}
for _, seq in ipairs(seqs) do seen[seq] = true end
for _, found in ipairs(fields_of(KEYS[4], names)) do
  for seq in string.gmatch(found or '', '%d+') do
    if not seen[seq] then
      seen[seq] = true
      seqs[#seqs + 1] = seq
    end
  end
end
table.sort(seqs, function(a, b) return tonumber(a) < tonumber(b) end)
local head = redis.call('HMGET', KEYS[1], 'version', 'epoch', 'state')
local facts, vectors = facts_of(KEYS[2], KEYS[3], seqs, ARGV[1])
return { head[1] or '', head[2] or '', head[3] or '', facts, vectors, fields_of(KEYS[5], digests) }
`,
  releaseJob: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
return redis.call('ZADD', KEYS[1], 'XX', clock() + ARGV[2], ARGV[1])
`,
  reserveJob: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
return redis.call('ZADD', KEYS[1], clock() + ARGV[2], ARGV[1])
`,
  takeJob: `local stored = redis.call('HGET', KEYS[1], ARGV[1])
local ticket, attempts, from = string.match(stored or '', '^(%S+) (%d+) ()')
if ticket ~= ARGV[2] then
  redis.call('SET', KEYS[2], '', 'PX', ARGV[3])
  return false
end
attempts = attempts + 1
local body = string.sub(stored, from)
redis.call('HSET', KEYS[1], ARGV[1], ticket .. ' ' .. attempts .. ' ' .. body)
return { attempts, body }
`,
  writeJob: `local stored = redis.call('HGET', KEYS[2], ARGV[1])
if stored then
  if string.match(stored, '^%S+') ~= ARGV[2] then return 0 end
  redis.call('HSET', KEYS[2], ARGV[1], stored)
  return 1
end
if (redis.call('HGET', KEYS[1], 'epoch') or '0') ~= ARGV[3] then return 0 end
if redis.call('EXISTS', KEYS[3]) == 1 then return -1 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ' 1 ' .. ARGV[4])
return 1
`,
} as const;
