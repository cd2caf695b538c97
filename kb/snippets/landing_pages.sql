SELECT landing_page, count(*) AS visits
FROM traffic.visits
WHERE market = {{ market }}
  AND NOT is_bot
  AND started_at >= {{ period.start }}
  AND started_at < {{ period.end_exclusive }}
GROUP BY landing_page
ORDER BY visits DESC, landing_page -- the path settles ties
LIMIT {{ n }}
