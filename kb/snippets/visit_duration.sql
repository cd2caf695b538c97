-- Visits whose end the tracker lost count as 0 s: agreed with product, see notes/traffic.md
SELECT avg(coalesce(duration_seconds, 0)) AS seconds
FROM traffic.visits
WHERE market = {{ market }}
  AND NOT is_bot
  AND started_at >= {{ period.start }}
  AND started_at < {{ period.end_exclusive }}
