"""What the server does in one step. Every script touches the keys of one thread only.

A script can be sent again when its answer was lost: it knows what it did by token or by digest.
Times are the server's, in milliseconds.
"""

from pace.stores.redis.value import DIGEST_BYTES, MAGIC

_DIGEST_FROM = len(MAGIC) + 1
_DIGEST_TO = _DIGEST_FROM + DIGEST_BYTES - 1

# KEYS: the lease; value, pending (none for a fold). ARGV: token, how long the lease lasts, and the
# time after which nobody waits for the answer any more: a server that was held up must not give the
# turn to one who has left.
# Gives: whether it is ours, the value, the time.
TAKE = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[3]) then return {0, false, time} end
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
  and redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return {0, false, time}
end
for i = 2, #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[2], 'GT') end
return {1, #KEYS > 1 and redis.call('GET', KEYS[2]), time}
"""

# KEYS as in TAKE. ARGV: token, how long the lease lasts, how long the rest lives from now at least.
# Gives whether it is still ours.
RENEW = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
for i = 2, #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[3], 'GT') end
return 1
"""

# KEYS: the lease. ARGV: token.
GIVE_UP = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
"""

# KEYS: value, pending, turn. ARGV: 1 the digest expected, 2 the new one (empty: none), 3 the new
# value, 4 when it expires, 5 the token of the turn that this ends (or empty), 6 the id if something
# is pending (or empty), 7 how long a lease lasts, 8 "1" if this is sent again.
# While somebody else's turn goes on, nothing expires sooner than it would have.
WRITE = f"""
local held = redis.call('GETRANGE', KEYS[1], {_DIGEST_FROM}, {_DIGEST_TO})
if held ~= ARGV[1] then
  if ARGV[8] == '1' and held == ARGV[2] then return 1 end
  return 0
end
local turn = redis.call('GET', KEYS[3])
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1], KEYS[2])
else
  local ends = ARGV[4]
  if turn and turn ~= ARGV[5] then
    local time = redis.call('TIME')
    local kept = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[7])
    kept = math.max(tonumber(ends), kept, redis.call('PEXPIRETIME', KEYS[1]))
    ends = string.format('%.0f', kept)
  end
  redis.call('SET', KEYS[1], ARGV[3], 'PXAT', ends)
  if ARGV[6] == '' then
    redis.call('DEL', KEYS[2])
  else
    redis.call('SET', KEYS[2], ARGV[6], 'PXAT', ends)
  end
end
if turn and turn == ARGV[5] then redis.call('DEL', KEYS[3]) end
return 1
"""
