-- The index: for each term, records of the facts that hold it, each with its weight.
--
-- The field '=<term>' has them; or, once there are many, '#' and the numbers of its chunks, ascending from 0, with
-- commas. Chunk n is the field '<n>:<term>', and has the facts from seq n on, up to the next chunk's number. So a fact
-- is added to a common term by writing some 2 KB, whatever the number of its facts.
local CHUNK = 2048

local function highest_of(records)
  local highest = -1
  for seq in string.gmatch(records, ';(%d+):') do highest = math.max(highest, tonumber(seq)) end
  return highest
end

-- The number of the chunk that a seq belongs to, and whether it is the last.
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

-- Weight '0' takes the fact out.
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
