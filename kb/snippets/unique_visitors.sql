-- not account_id: most visitors are not logged in when they come
SELECT count(DISTINCT visitor_id) AS visitors
FROM traffic.visits
WHERE market = {{ market }}
  AND NOT is_bot
  AND NOT is_internal
  AND started_at >= {{ period.start }}
  AND started_at < {{ period.end_exclusive }}
