SELECT c.name, sum(d.cost) AS cost
FROM ads.campaign_daily d
JOIN ads.campaigns c ON c.campaign_id = d.campaign_id
WHERE d.market = {{ market }}
  AND c.is_active
  AND d.report_date BETWEEN {{ period.start }} AND {{ period.end }}
GROUP BY c.name
ORDER BY cost DESC
LIMIT {{ n }}
