SELECT
  {{ by }} AS slice,
  100.0 * sum(CASE WHEN page_views = 1 THEN 1 ELSE 0 END) / count(*) AS bounce_rate
FROM traffic.visits
WHERE NOT is_bot
  AND market = {{ market }}
  AND started_at >= {{ period.start }}
  AND started_at < {{ period.end_exclusive }}
GROUP BY 1
ORDER BY 1
