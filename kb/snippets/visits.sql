SELECT {{ by }} AS slice, count(*) AS visits
FROM traffic.visits
WHERE market = {{ market }}
  AND started_at >= {{ period.start }} AND started_at < {{ period.end_exclusive }}
  AND NOT is_bot
GROUP BY 1
ORDER BY 1
